import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * A table of orders, and its client. Items stay in DynamoDB's own JSON, which is exact for every type: other
 * programs store sets, binary values and numbers that no JavaScript value holds.
 */
export interface OrdersTable {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
}
