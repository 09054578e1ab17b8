import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { hashToken } from '../../../../lambdas/domain/api-key.ts';
import type { EmbeddedDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { ownerItem } from '../../../../test/helpers/dynamodb/key-items.ts';
import { installAwsLambda, LambdaStream } from '../../../../test/helpers/functions/awslambda.ts';
import {
  authorizerEvent,
  cancelEvent,
  lambdaContext,
  proxyEvent,
  requestContext,
} from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { createOwnerIdentity, createToken } from '../../../admin/stored/identities.ts';
import { lastingMinute, today } from '../e2e/running-store.ts';
import { startFaultyDynamodb, timeoutDivisor } from './faulty-dynamodb.ts';

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

/** The three functions in this thread, and the DynamoDB before which they are. */
export type ServiceInThread = Awaited<ReturnType<typeof startServiceInThread>>;

/**
 * Starts the three functions in this thread, before a DynamoDB that fails. They are called as API Gateway
 * calls them, and serve any number of requests at a time.
 */
export async function startServiceInThread(database: EmbeddedDynamoDb) {
  const dynamodb = await startFaultyDynamodb(database.endpoint);
  const ORDERS_TABLE = await database.createOrdersTable();
  const API_KEYS_TABLE = await database.createApiKeysTable();
  const AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
  const own = { ORDERS_TABLE, API_KEYS_TABLE, AWS_ENDPOINT_URL_DYNAMODB };
  Object.assign(process.env, functionEnvironment, own);
  installAwsLambda();
  recogniseErrorsOfNode();
  const handlers = await loadHandlers();
  return {
    dynamodb,
    database,
    ordersTable: ORDERS_TABLE,
    issueKey: (perMinute: number) => issueKey(perMinute, database, API_KEYS_TABLE),
    ask: (asked: Asked) => ask(asked, handlers),
  };
}

/** Loads the functions, with the present variables and a client of their own. */
async function loadHandlers(): Promise<readonly Handler[]> {
  // The query makes it another module.
  const files = ['authorizer', 'list-orders', 'cancel-order'].map(
    (name) => import(`../../../../lambdas/${name}.ts?${randomUUID()}`),
  );
  return (await Promise.all(files)).map(({ handler }) => handler);
}

/** Issues a key of a new owner, with a limit for a minute that has not started. */
async function issueKey(perMinute: number, { dynamodb }: EmbeddedDynamoDb, TableName: string) {
  const { seed, ownerHash } = createOwnerIdentity('so_test_');
  const token = createToken('so_test_', seed);
  const windows = { minuteWindow: lastingMinute(), dayWindow: today() };
  const limits = { ownerHash, plan: 'enterprise', perMinute, perDay: 1_000_000 };
  const Item = ownerItem({ ...limits, ...windows }, { [hashToken(token)]: {} });
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  return token;
}

async function ask(
  { token, orderId, isGzip = false }: Asked,
  [authorize, list, cancel]: readonly Handler[],
): Promise<Answer> {
  let authorizer: { limit?: number; code?: string };
  try {
    const result = await authorize!(authorizerEvent(`Bearer ${token}`), lambdaContext(5_000));
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
  if (orderId === undefined) return answerOfStream(list!, proxyEvent(details));
  const result = await cancel!(cancelEvent(orderId, details), lambdaContext(15_000));
  return {
    status: result.statusCode,
    headers: byLowerCase(result.headers),
    body: Buffer.from(result.body),
    isComplete: true,
    caller,
  };
}

async function answerOfStream(list: Handler, event: object): Promise<Answer> {
  const stream = new LambdaStream();
  let isComplete = true;
  try {
    await list(event, stream, lambdaContext(120_000));
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

function ofGateway(status: number, code: string): Answer {
  return { status, body: Buffer.from(JSON.stringify({ code })), isComplete: true };
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
