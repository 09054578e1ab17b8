import { once } from 'node:events';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { orderFieldNames } from '../../../lambdas/orders/order-fields.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A conventional streamed list, with DocumentClient and JSON.stringify for each page. */
export const handler = awslambda.streamifyResponse(async (_event, stream) => {
  const TableName = process.env.ORDERS_TABLE;
  const ProjectionExpression = orderFieldNames.join(', ');
  let separator = '[';
  for await (const { Items } of paginateScan({ client }, { TableName, ProjectionExpression })) {
    const text = separator + JSON.stringify(Items).slice(1, -1);
    if (!stream.write(text)) await once(stream, 'drain');
    separator = ',';
  }
  await new Promise<void>((resolve) => stream.end(']', resolve));
});
