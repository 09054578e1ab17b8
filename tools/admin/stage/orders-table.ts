import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A table of orders, and its client. */
export interface OrdersTable {
  /** A client that reads every number as a `NumberValue`, which is exact. */
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** Creates the document client for orders. @param client its creator destroys it */
export function ordersTable(client: DynamoDBClient, tableName: string): OrdersTable {
  // A JavaScript number would round integers above 2^53.
  const unmarshallOptions = { wrapNumbers: true };
  return { documents: DynamoDBDocumentClient.from(client, { unmarshallOptions }), tableName };
}
