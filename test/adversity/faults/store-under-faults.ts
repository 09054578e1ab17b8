import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FaultyDynamodb } from './faulty-dynamodb.ts';

/** A request of a client. */
export interface StoreRequest {
  readonly method: 'GET' | 'DELETE';
  /** Below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the client got. */
export interface StoreAnswer {
  /** Undefined when there was no answer at all. */
  readonly status: number | undefined;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** Whether the answer ended as an answer does, and did not break off. */
  readonly isComplete: boolean;
}

/** The whole service before a database that fails. */
export interface StoreUnderFaults extends AsyncDisposable {
  readonly dynamodb: FaultyDynamodb;
  /** Goes around the faults. */
  readonly data: DynamoDBClient;
  readonly ordersTable: string;
  /** How long a request may take, by its method. */
  readonly timeoutsMs: Readonly<Record<StoreRequest['method'], number>>;
  /** A key of a new owner with so many requests in a minute that has not begun. */
  issueKey(perMinute: number): Promise<string>;
  /** Never rejects. */
  send(request: StoreRequest): Promise<StoreAnswer>;
}
