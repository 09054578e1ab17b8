import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { hashToken } from '../../../../lambdas/shared/api-key.ts';
import { ownerItem } from '../../../../test/helpers/dynamodb/key-items.ts';
import { installAwsLambda, LambdaStream } from '../../../../test/helpers/functions/awslambda.ts';
import {
  authorizerEvent,
  cancelEvent,
  proxyEvent,
  requestContext,
} from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { createOwnerIdentity, createToken } from '../../../admin/keys/api-key-token.ts';
import type { EmbeddedDynamoDb } from '../../../shared/test/embedded-dynamodb.ts';
import { lastingMinute, today } from '../e2e/running-store.ts';
import { FaultyDynamodb } from './faulty-dynamodb.ts';

/** The divisor of all time limits in these tests, so that a table that hangs takes less time. */
export const timeoutDivisor = 4;
/** The longest time that a deployed function waits for an answer of DynamoDB. */
const answerTimeoutMs = 3_000;

/** A request to list the orders, or to cancel one. */
export interface Asked {
  readonly token: string;
  /** @default - the orders are listed */
  readonly orderId?: string | undefined;
  readonly isGzip?: boolean;
}

export interface Answer {
  readonly status: number;
  /** The values by lower-case name; undefined if the authorizer has refused the request. */
  readonly headers?: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** Whether the answer ended properly, without a broken stream. */
  readonly isComplete: boolean;
  /** The id of the key that the function gets, which differs for each request. Only cancellations have it. */
  readonly caller?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the events and results of three handlers
type Handler = (...values: any[]) => Promise<any>;

let started = 0;

/**
 * The three functions in this thread, called as API Gateway calls them, before a DynamoDB that fails.
 * They serve any number of requests at a time.
 */
export class ServiceInThread implements AsyncDisposable {
  readonly dynamodb: FaultyDynamodb;
  readonly database: EmbeddedDynamoDb;
  readonly ordersTable: string;
  readonly #apiKeysTable: string;
  readonly #authorize: Handler;
  readonly #list: Handler;
  readonly #cancel: Handler;

  static async start(database: EmbeddedDynamoDb): Promise<ServiceInThread> {
    const dynamodb = await FaultyDynamodb.before(
      database.endpoint,
      answerTimeoutMs / timeoutDivisor,
    );
    const ORDERS_TABLE = await database.createOrdersTable();
    const API_KEYS_TABLE = await database.createApiKeysTable();
    const AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
    const tables = { ORDERS_TABLE, API_KEYS_TABLE };
    Object.assign(process.env, functionEnvironment, tables, { AWS_ENDPOINT_URL_DYNAMODB });
    installAwsLambda();
    recogniseErrorsOfNode();
    // The query makes it another module, with the variables and the client of this service.
    started++;
    const [authorizer, list, cancel] = await Promise.all([
      import(`../../../../lambdas/authorizer.ts?${started}`),
      import(`../../../../lambdas/list-orders.ts?${started}`),
      import(`../../../../lambdas/cancel-order.ts?${started}`),
    ]);
    const handlers = [authorizer.handler, list.handler, cancel.handler] as const;
    return new ServiceInThread(database, dynamodb, tables, handlers);
  }

  private constructor(
    database: EmbeddedDynamoDb,
    dynamodb: FaultyDynamodb,
    tables: { ORDERS_TABLE: string; API_KEYS_TABLE: string },
    handlers: readonly [Handler, Handler, Handler],
  ) {
    this.database = database;
    this.dynamodb = dynamodb;
    this.ordersTable = tables.ORDERS_TABLE;
    this.#apiKeysTable = tables.API_KEYS_TABLE;
    [this.#authorize, this.#list, this.#cancel] = handlers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dynamodb[Symbol.asyncDispose]();
  }

  /** Issues a key of a new owner, with a limit for a minute that has not started. */
  async issueKey(perMinute: number): Promise<string> {
    const { seed, ownerHash } = createOwnerIdentity('so_test_');
    const token = createToken('so_test_', seed);
    const windows = { minuteWindow: lastingMinute(), dayWindow: today() };
    const limits = { ownerHash, plan: 'enterprise', perMinute, perDay: 1_000_000 };
    const Item = ownerItem({ ...limits, ...windows }, { [hashToken(token)]: {} });
    await this.database.dynamodb.send(new PutItemCommand({ TableName: this.#apiKeysTable, Item }));
    return token;
  }

  async ask({ token, orderId, isGzip = false }: Asked): Promise<Answer> {
    let authorizer: { limit?: number; code?: string };
    try {
      const result = await this.#authorize(authorizerEvent(`Bearer ${token}`), contextFor(5_000));
      authorizer = result.context;
      if (result.policyDocument.Statement[0].Effect === 'Deny') {
        return ofGateway(429, authorizer.code ?? '');
      }
    } catch (error) {
      const isRefused = (error as Error).message === 'Unauthorized';
      return isRefused ? ofGateway(401, 'unauthorized') : ofGateway(503, 'service_unavailable');
    }
    const headers = isGzip ? { 'accept-encoding': 'gzip' } : {};
    // Each request has a key id of its own, so that an order shows which request cancelled it.
    const caller = randomUUID();
    const context = { ...authorizer, keyId: caller };
    const details = { headers, requestContext: requestContext({ authorizer: context }) };
    if (orderId === undefined) return this.#stream(proxyEvent(details));
    const {
      statusCode,
      headers: sent,
      body,
    } = await this.#cancel(cancelEvent(orderId, details), contextFor(15_000));
    return {
      status: statusCode,
      headers: byLowerCase(sent),
      body: Buffer.from(body),
      isComplete: true,
      caller,
    };
  }

  async #stream(event: object): Promise<Answer> {
    const stream = new LambdaStream();
    let isComplete = true;
    try {
      await this.#list(event, stream, contextFor(120_000));
    } catch {
      isComplete = false;
    }
    const { statusCode, headers } = stream.prelude ?? { statusCode: 500, headers: {} };
    return {
      status: statusCode,
      headers: byLowerCase(headers),
      body: stream.body,
      isComplete: isComplete && stream.writableFinished,
    };
  }
}

function ofGateway(status: number, code: string): Answer {
  return { status, body: Buffer.from(JSON.stringify({ code })), isComplete: true };
}

function contextFor(timeoutMs: number) {
  const deadlineMs = performance.now() + timeoutMs;
  return {
    awsRequestId: 'b2f0c1de-0000-4000-8000-000000000002',
    getRemainingTimeInMillis: () => deadlineMs - performance.now(),
  };
}

function byLowerCase(headers: Readonly<Record<string, string>>): Map<string, string[]> {
  return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
}

/**
 * The errors of sockets come from outside of Jest's context, whose `Error` is another. There the SDK
 * would hide their names in an error of its own.
 */
function recogniseErrorsOfNode(): void {
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Error, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return isInstance.call(this, value) || (this === Error && isNativeError(value));
    },
    configurable: true,
  });
}

/** Divides the time limits of everything in this thread. Returns a function that restores them. */
export function quickenTimeLimits(): () => void {
  const { setTimeout: wait } = globalThis;
  const { setTimeout: limit } = Socket.prototype;
  globalThis.setTimeout = ((callback: () => void, delayMs: number, ...values: []) =>
    wait(callback, delayMs / timeoutDivisor, ...values)) as unknown as typeof setTimeout;
  Socket.prototype.setTimeout = function (this: Socket, delayMs: number, callback?: () => void) {
    return limit.call(this, delayMs / timeoutDivisor, callback);
  };
  return () => {
    globalThis.setTimeout = wait;
    Socket.prototype.setTimeout = limit;
  };
}
