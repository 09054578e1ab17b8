import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The table of orders, and the client for it. */
export interface OrdersTable {
  /** Reads every number as a `NumberValue`, which keeps its digits. */
  readonly dynamodb: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** @param client keeps its owner: whoever made it ends it */
export function ordersTable(client: DynamoDBClient, tableName: string): OrdersTable {
  // A JavaScript number would round integers above 2^53.
  const unmarshallOptions = { wrapNumbers: true };
  return { dynamodb: DynamoDBDocumentClient.from(client, { unmarshallOptions }), tableName };
}
