import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FaultyDynamodb } from './faulty-dynamodb.ts';

/** A request of a client. */
export interface StoreRequest {
  readonly method: 'GET' | 'DELETE';
  /** The path below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer that a client received. */
export interface StoreAnswer {
  /** The status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The values of the headers by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** Whether the answer ended properly, without a broken connection. */
  readonly isComplete: boolean;
}

/** The whole service with a database that has faults. */
export interface StoreUnderFaults extends AsyncDisposable {
  readonly dynamodb: FaultyDynamodb;
  /** A client for the database without its faults. */
  readonly data: DynamoDBClient;
  readonly ordersTable: string;
  /** The time limits of requests by method. */
  readonly timeoutsMs: Readonly<Record<StoreRequest['method'], number>>;
  /** Issues a key of a new owner with a limit per minute, in a minute that has not started. */
  issueKey(perMinute: number): Promise<string>;
  /** Sends a request. The promise never rejects. */
  send(request: StoreRequest): Promise<StoreAnswer>;
}
