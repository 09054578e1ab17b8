import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { OrdersTable } from '../admin/orders/orders-table.ts';
import { createTables } from '../local/dynamodb/tables.ts';

/** How far the load of a table has come. */
export interface LoadMark {
  readonly isComplete: boolean;
  /** What is loaded: the path of a file, or the sample. */
  readonly source: string;
}

const key = { table: { S: 'orders' } };

/**
 * Keeps how far the load of a table has come, where the table itself is: a data directory would not
 * know what another run has done to a DynamoDB that both use.
 *
 * It has a table of its own. Among the orders, clients would see it in their lists; among owners and
 * keys, the operator's commands would come upon it.
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

  /** Undefined when nothing has ever begun to load the table. */
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
