import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { orderItem } from '../../helpers/dynamodb/orders.ts';
import type { StoreAnswer } from '../faults/store-under-faults.ts';

/** The number of requests to cancel an order, by their answers. */
export interface CancelRecord {
  /** Answered 204. */
  confirmed: number;
  /** Answered 409. */
  rejected: number;
  /** Answered 5xx, or without a complete answer. */
  unknown: number;
}

/** Orders that are placed together. Times are those of `performance.now()`. */
export interface OrderBatch {
  readonly ids: readonly string[];
  /** The cancels of each order since the batch was last written. */
  cancels: ReadonlyMap<string, CancelRecord>;
  /** The time in which its orders were first written. */
  readonly placed: { startedAtMs: number; endedAtMs: number };
  /** The number of cancels that have no answer yet. */
  inFlight: number;
}

/** The text of an order in a list. */
export const rowOf = (id: string) =>
  `{"id":${id},"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}`;

// The ids are above 2^53, where different ids can be the same JavaScript number.
const firstId = 9_007_199_254_740_993n;
const itemsPerWrite = 25;
// The load of a soak is the same whatever its length and rate, so the lists must not grow with these.
const ordersPerBatch = 300;
/** Once there are so many, checked batches are used again. */
const maxBatches = 4;

/**
 * The orders of a run, written to DynamoDB without faults. No order is removed during the run, because
 * a parallel scan of the embedded DynamoDB misses other orders when that of its start key is removed.
 */
export class OrderBatches {
  readonly #data: DynamoDBClient;
  readonly #table: string;
  readonly #batches: OrderBatch[] = [];
  readonly #checkedBatches: OrderBatch[] = [];
  #placed = 0n;

  constructor(data: DynamoDBClient, table: string) {
    this.#data = data;
    this.#table = table;
  }

  /** Writes pending orders: new ones, or those of a checked batch once there are enough batches. */
  async place(): Promise<OrderBatch> {
    const checked = this.#batches.length < maxBatches ? undefined : this.#checkedBatches.shift();
    if (checked) return this.#putOrders(checked);
    const ids = Array.from({ length: ordersPerBatch }, () => String(firstId + this.#placed++));
    const placed = { startedAtMs: performance.now(), endedAtMs: Number.POSITIVE_INFINITY };
    const batch: OrderBatch = { ids, cancels: new Map(), placed, inFlight: 0 };
    this.#batches.push(batch);
    await this.#putOrders(batch);
    placed.endedAtMs = performance.now();
    return batch;
  }

  /** Makes a checked batch available to `place`. It must not have a request in flight. */
  release(batch: OrderBatch): void {
    this.#checkedBatches.push(batch);
  }

  async #putOrders(batch: OrderBatch): Promise<OrderBatch> {
    batch.cancels = new Map(batch.ids.map((id) => [id, { confirmed: 0, rejected: 0, unknown: 0 }]));
    const Items = batch.ids.map((id) => orderItem(id, { status: { S: 'pending' } }));
    await this.#write(Items.map((Item) => ({ PutRequest: { Item } })));
    return batch;
  }

  /** Removes all orders. */
  async clear(): Promise<void> {
    const ids = [...(await this.statuses()).keys()];
    await this.#write(ids.map((id) => ({ DeleteRequest: { Key: { id: { N: id } } } })));
  }

  /** Reads the status of each order in the table. */
  async statuses(): Promise<Map<string, string>> {
    const statuses = new Map<string, string>();
    const input = { TableName: this.#table, ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: this.#data }, input)) {
      for (const { id, status } of Items) statuses.set(id!.N!, status?.S ?? '');
    }
    return statuses;
  }

  /** The orders that a list has to contain and may contain, which was requested and answered at these times. */
  expectedList(startedAtMs: number, endedAtMs: number) {
    const isRequired = ({ placed }: OrderBatch) => placed.endedAtMs < startedAtMs;
    const isPossible = ({ placed }: OrderBatch) => placed.startedAtMs < endedAtMs;
    const possible = this.#batches.filter(isPossible);
    return {
      required: new Set(this.#batches.filter(isRequired).flatMap(({ ids }) => ids)),
      isPossible: (id: string) => possible.some(({ cancels }) => cancels.has(id)),
      rowOf,
    };
  }

  async #write(requests: WriteRequest[]): Promise<void> {
    for (let start = 0; start < requests.length; start += itemsPerWrite) {
      const RequestItems = { [this.#table]: requests.slice(start, start + itemsPerWrite) };
      await this.#data.send(new BatchWriteItemCommand({ RequestItems }));
    }
  }
}

/** Counts the answer to a cancel. */
export function recordCancel(record: CancelRecord, { status, isComplete }: StoreAnswer): void {
  if (!isComplete || status === undefined || status >= 500) record.unknown++;
  else if (status === 204) record.confirmed++;
  else if (status === 409) record.rejected++;
}

/** The violations in a batch that has no request in flight. */
export function batchDifferences(
  { cancels }: Pick<OrderBatch, 'cancels'>,
  statuses: ReadonlyMap<string, string>,
): string[] {
  return [...cancels].flatMap(([id, { confirmed, rejected, unknown }]) => {
    const status = statuses.get(id) ?? 'missing';
    const isCancelled = status === 'cancelled';
    if (confirmed > 1) return [`the order ${id} was cancelled ${confirmed} times`];
    if (confirmed === 1 && !isCancelled) return [`the order ${id} is ${status}, after a 204`];
    if (rejected > 0 && !isCancelled) return [`the order ${id} is ${status}, after a 409`];
    if (isCancelled && confirmed + unknown === 0)
      return [`the order ${id} is cancelled, without a 204`];
    return isCancelled || status === 'pending' ? [] : [`the order ${id} is ${status}`];
  });
}
