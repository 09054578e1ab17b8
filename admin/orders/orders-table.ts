import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The table of orders, and the client for it. */
export interface OrdersTable {
  /** A client that reads every number as a `NumberValue`, which is exact. */
  readonly dynamodb: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** Creates the document client for orders. @param client is destroyed by its creator */
export function ordersTable(client: DynamoDBClient, tableName: string): OrdersTable {
  // A JavaScript number would round integers above 2^53.
  const unmarshallOptions = { wrapNumbers: true };
  return { dynamodb: DynamoDBDocumentClient.from(client, { unmarshallOptions }), tableName };
}
