import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { orderFieldNames } from '../../../lambdas/domain/order-fields.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A conventional streamed list, with DocumentClient and JSON.stringify for each page. */
export const handler = middy({ executionMode: executionModeStreamifyResponse }).handler(
  async () => ({
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: Readable.from(renderPages()),
  }),
);

async function* renderPages(): AsyncGenerator<string> {
  const input = {
    TableName: process.env.ORDERS_TABLE,
    ProjectionExpression: orderFieldNames.join(', '),
  };
  let separator = '[';
  for await (const { Items: orders = [] } of paginateScan({ client }, input)) {
    if (orders.length === 0) continue;
    yield separator + JSON.stringify(orders).slice(1, -1);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
