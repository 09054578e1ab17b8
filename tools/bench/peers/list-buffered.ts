import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A conventional list, which reads everything and then creates one string. */
export const handler = middy(async () => {
  const input = {
    TableName: process.env.ORDERS_TABLE,
    ProjectionExpression: orderFieldNames.join(', '),
  };
  const orders: unknown[] = [];
  for await (const { Items = [] } of paginateScan({ client }, input)) orders.push(...Items);
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(orders),
  };
});
