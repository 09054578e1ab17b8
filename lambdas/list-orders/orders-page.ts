import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type OrderItem, orderFields, orderToJson } from './order-json.ts';

export type StartKey = Record<string, AttributeValue>;

/** Some of the orders, in the form in which they are sent. */
export interface OrdersPage {
  /** Each order as `,{…}`, one after the other. */
  json: Buffer;
  count: number;
  /** Where the next page begins; absent on the last. */
  lastEvaluatedKey: StartKey | undefined;
}

export interface PageRequest {
  startKey?: StartKey | undefined;
  segment?: { index: number; total: number } | undefined;
  /** Sees the id of each order and says whether the order belongs on the page. */
  keep?: ((id: string) => boolean) | undefined;
  signal: AbortSignal;
}

export type ReadPage = (request: PageRequest) => Promise<OrdersPage>;

/** Reads pages of a table's orders, one `Scan` each. */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  return async ({ startKey, segment, keep, signal }) => {
    const command = new ScanCommand({
      TableName: tableName,
      ProjectionExpression: orderFields.join(', '),
      ExclusiveStartKey: startKey,
      Segment: segment?.index,
      TotalSegments: segment?.total,
    });
    const output = await client.send(command, { abortSignal: signal });
    const items = kept(output.Items ?? [], keep);
    return {
      json: Buffer.from(items.map((item) => `,${orderToJson(item)}`).join('')),
      count: items.length,
      lastEvaluatedKey: output.LastEvaluatedKey,
    };
  };
}

function kept(items: OrderItem[], keep: PageRequest['keep']): OrderItem[] {
  return keep ? items.filter((item) => keep(item.id?.N ?? '')) : items;
}
