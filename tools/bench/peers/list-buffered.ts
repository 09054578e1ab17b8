import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A conventional list, which reads everything and then creates one string. */
export const handler = middy(async () => {
  const orders: unknown[] = [];
  let startKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: process.env.ORDERS_TABLE,
        ProjectionExpression: orderFieldNames.join(', '),
        ExclusiveStartKey: startKey,
      }),
    );
    orders.push(...(page.Items ?? []));
    startKey = page.LastEvaluatedKey;
  } while (startKey);
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(orders),
  };
});
