import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { OrdersTable } from '../admin/orders/orders-table.ts';
import { createTables } from '../local/dynamodb/tables.ts';

/** The progress of loading a table. */
interface LoadMark {
  readonly isComplete: boolean;
  /** The source of the orders: the path of a file, or the sample. */
  readonly source: string;
}

const key = { table: { S: 'orders' } };

/**
 * Stores the progress of loading a table in the same DynamoDB as the table. In a data directory it
 * could be wrong, because several runs can use the same external DynamoDB.
 *
 * It is in a table of its own. In the table of orders, clients would see it in their lists, and in the
 * tables of owners and keys, the operator's commands would find it.
 */
export class LoadMarker {
  readonly #table: OrdersTable;
  readonly #name: string;

  private constructor(table: OrdersTable) {
    this.#table = table;
    this.#name = `${table.tableName}-local-load`;
  }

  static async of(table: OrdersTable): Promise<LoadMarker> {
    const marker = new LoadMarker(table);
    const TableName = marker.#name;
    const input = {
      TableName,
      BillingMode: 'PAY_PER_REQUEST' as const,
      KeySchema: [{ AttributeName: 'table', KeyType: 'HASH' as const }],
      AttributeDefinitions: [{ AttributeName: 'table', AttributeType: 'S' as const }],
    };
    await createTables([{ logicalId: 'LocalLoad', name: TableName, input }], table.dynamodb);
    return marker;
  }

  /** The progress; undefined if a load of the table has never been started. */
  async read(): Promise<LoadMark | undefined> {
    const get = new GetItemCommand({ TableName: this.#name, Key: key, ConsistentRead: true });
    const { Item } = await this.#table.dynamodb.send(get);
    return Item && { isComplete: Item.isComplete?.BOOL === true, source: Item.source?.S ?? '' };
  }

  async write({ isComplete, source }: LoadMark): Promise<void> {
    const Item = { ...key, isComplete: { BOOL: isComplete }, source: { S: source } };
    await this.#table.dynamodb.send(new PutItemCommand({ TableName: this.#name, Item }));
  }
}
