import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { orderItem } from '../../helpers/orders.ts';
import type { StoreAnswer } from '../faults/store-under-faults.ts';

/** What the requests to cancel an order were told. */
export interface CancelRecord {
  told: number;
  refused: number;
  /** Those without an answer, or with one that says that the service failed. */
  uncertain: number;
}

/** Orders that are placed together. Times are those of `performance.now()`. */
export interface OrderBatch {
  readonly ids: readonly string[];
  /** Since they were placed last. */
  cancels: ReadonlyMap<string, CancelRecord>;
  /** When its orders were placed for the first time. */
  readonly placed: { beganAtMs: number; endedAtMs: number };
  /** The requests to cancel one of them that have no answer yet. */
  underWay: number;
}

/** The text of an order in a list. */
export const rowOf = (id: string) =>
  `{"id":${id},"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}`;

// The ids are beyond 2^53, where a JavaScript number would no longer tell them apart.
const firstId = 9_007_199_254_740_993n;
const itemsPerWrite = 25;
/** From so many on, those that have been judged are made pending again, and the table stays small. */
const mostBatches = 12;

/**
 * The orders of a run, placed past the faults. None is removed while there are lists: the embedded
 * DynamoDB's parallel scan misses other orders when the one of its start key is removed.
 */
export class OrderBatches {
  readonly #data: DynamoDBClient;
  readonly #table: string;
  readonly #batches: OrderBatch[] = [];
  readonly #judged: OrderBatch[] = [];
  #placed = 0n;

  constructor(data: DynamoDBClient, table: string) {
    this.#data = data;
    this.#table = table;
  }

  /** Places orders: new ones, or once there are enough, those of a batch that has been judged. */
  async place(count: number): Promise<OrderBatch> {
    const judged = this.#batches.length < mostBatches ? undefined : this.#judged.shift();
    if (judged) return this.#placeAgain(judged);
    const ids = Array.from({ length: count }, () => String(firstId + this.#placed++));
    const placed = { beganAtMs: performance.now(), endedAtMs: Number.POSITIVE_INFINITY };
    const batch: OrderBatch = { ids, cancels: new Map(), placed, underWay: 0 };
    this.#batches.push(batch);
    await this.#placeAgain(batch);
    placed.endedAtMs = performance.now();
    return batch;
  }

  /** Takes a batch back, of which no request is under way any more. */
  release(batch: OrderBatch): void {
    this.#judged.push(batch);
  }

  async #placeAgain(batch: OrderBatch): Promise<OrderBatch> {
    batch.cancels = new Map(batch.ids.map((id) => [id, { told: 0, refused: 0, uncertain: 0 }]));
    const Items = batch.ids.map((id) => orderItem(id, { status: { S: 'pending' } }));
    await this.#write(Items.map((Item) => ({ PutRequest: { Item } })));
    return batch;
  }

  /** Removes what was there before the first batch. */
  async clear(): Promise<void> {
    const ids = [...(await this.statuses()).keys()];
    await this.#write(ids.map((id) => ({ DeleteRequest: { Key: { id: { N: id } } } })));
  }

  /** The status of each order that is in the table. */
  async statuses(): Promise<Map<string, string>> {
    const statuses = new Map<string, string>();
    const input = { TableName: this.#table, ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: this.#data }, input)) {
      for (const { id, status } of Items) statuses.set(id!.N!, status?.S ?? '');
    }
    return statuses;
  }

  /** What a list has to have, and may have, that was asked for and answered at these times. */
  expectedList(beganAtMs: number, endedAtMs: number) {
    const isRequired = ({ placed }: OrderBatch) => placed.endedAtMs < beganAtMs;
    const isPossible = ({ placed }: OrderBatch) => placed.beganAtMs < endedAtMs;
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

/** Notes what a request to cancel was told. */
export function noteCancel(record: CancelRecord, { status, isComplete }: StoreAnswer): void {
  if (!isComplete || status === undefined || status >= 500) record.uncertain++;
  else if (status === 204) record.told++;
  else if (status === 409) record.refused++;
}

/** What is wrong with a batch of which no request is under way any more. */
export function batchDifferences(
  { cancels }: Pick<OrderBatch, 'cancels'>,
  statuses: ReadonlyMap<string, string>,
): string[] {
  return [...cancels].flatMap(([id, { told, refused, uncertain }]) => {
    const status = statuses.get(id) ?? 'missing';
    const isCancelled = status === 'cancelled';
    if (told > 1) return [`the order ${id} was cancelled ${told} times`];
    if (told === 1 && !isCancelled) return [`the order ${id} is ${status}, after a 204`];
    if (refused > 0 && !isCancelled) return [`the order ${id} is ${status}, after a 409`];
    if (isCancelled && told + uncertain === 0) return [`nobody was told that ${id} is cancelled`];
    return isCancelled || status === 'pending' ? [] : [`the order ${id} is ${status}`];
  });
}
