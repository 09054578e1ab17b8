import { setTimeout as wait } from 'node:timers/promises';
import {
  answer,
  type DynamodbCall,
  DynamodbProxy,
  failure,
  forward,
  lost,
  throttled,
  unanswered,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { randomFrom } from './random.ts';

/** The divisor of all time limits in these tests, so that a table that hangs takes less time. */
export const timeoutDivisor = 4;
/** The longest time that a function waits for an answer of DynamoDB, which is 3 s when it is deployed. */
const answerTimeoutMs = 3_000 / timeoutDivisor;

interface FaultyCall extends DynamodbCall {
  /** A number from 0 to below 1: the extent of the fault, if it has one. */
  readonly portion: number;
}

type Fault = (call: FaultyCall) => unknown;

/** What a network and DynamoDB do to a request or its answer. None invents an answer. */
const faults = {
  /** The answer is delayed. */
  slow: async (call) => {
    await wait(call.portion * 25);
    await forward(call);
  },
  /** The request is executed after the function's timeout. */
  late: async (call) => {
    await wait(answerTimeoutMs * (1 + call.portion));
    await forward(call);
  },
  refused: lost,
  reset: resetConnection,
  exhausted: throttled,
  throttled: failure('ThrottlingException'),
  broken: answer({ __type: 'InternalServerError', message: 'try again' }, 500),
  unavailable: ({ outgoing }) => outgoing.writeHead(503).end('<html>unavailable</html>'),
  hanging: unanswered,
  /** The request is executed, and its answer is lost. */
  lost: async (call) => {
    await call.execute();
    resetConnection(call);
  },
  /** The request is executed, and its answer never arrives. */
  swallowed: ({ execute }) => execute(),
  /** The request is executed, and the connection is closed in the middle of its answer. */
  truncated: async (call) => {
    const part = await begin(call);
    call.outgoing.write(part, () => call.outgoing.destroy());
  },
  /** The request is executed, and its answer stops in the middle without an end. */
  stalled: async (call) => {
    const part = await begin(call);
    call.outgoing.write(part);
  },
} satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;

export const faultKinds = Object.keys(faults) as FaultKind[];

/** The share of requests that fail, and the kinds of their faults. */
export interface Mixture {
  readonly seed: number;
  /** The share of requests that fail, from 0 to 1. */
  readonly rate: number;
  readonly kinds: readonly FaultKind[];
  /** The maximum number of orders per page, so that a small table has several pages. */
  readonly ordersPerPage: number;
}

export const noFaults: Mixture = { seed: 0, rate: 0, kinds: [], ordersPerPage: 1_000 };

/** A call of a function, with all attempts of the SDK. */
export interface DatabaseCall {
  readonly operation: string;
  /** Who cancels an order with it: the value of `:keyId`; undefined for other calls. */
  readonly caller: string | undefined;
  /** The fault of each attempt; undefined where it was answered in time. */
  readonly attempts: (FaultKind | undefined)[];
}

/**
 * Starts a DynamoDB with faults that a seed determines. The fault of a request depends on the seed, on the
 * subject of the request and on the number of earlier requests with this subject, so that the same run
 * has the same faults.
 *
 * @param target a DynamoDB-compatible server
 */
export async function startFaultyDynamodb(target: string) {
  const proxy = await DynamodbProxy.before(target);
  const underWay = new Set<Promise<unknown>>();
  let mixture = noFaults;
  let counts = new Map<string, number>();
  const faulty = {
    url: proxy.url,
    /** The functions' calls since the last call of `use`, by the SDK's id of each. */
    databaseCalls: new Map<string, DatabaseCall>(),
    /** How many answers were too late without a fault of a seed. */
    unplannedFaults: 0,
    /** Starts a new run with these faults. */
    use(next: Mixture): void {
      mixture = next;
      counts = new Map();
      faulty.databaseCalls = new Map();
      proxy.requests.length = 0;
    },
    /** Resolves when no request is under way, neither before the database nor in it. */
    async isIdle(): Promise<void> {
      await proxy.isIdle();
      await Promise.all(underWay);
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };

  /** Answers a request, possibly with a fault. */
  proxy.reply = async (call) => {
    const { seed, rate, kinds, ordersPerPage: Limit } = mixture;
    const { operation, input, body } = call;
    const subject = subjectOf(call);
    const number = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, number);
    const random = randomFrom(seed, subject, number);
    const portion = random.next();
    const kind = random.chance(rate) ? random.pick(kinds) : undefined;
    note(call, kind);
    const sent = operation === 'Scan' ? JSON.stringify({ ...input, Limit }) : body;
    const execute = () => call.execute(sent);
    const answering = Promise.resolve(
      (kind ? faults[kind] : forward)({ ...call, execute, portion }),
    );
    underWay.add(answering);
    await answering.finally(() => underWay.delete(answering));
  };

  function note({ operation, input, incoming, outgoing }: DynamodbCall, fault?: FaultKind): void {
    const id = String(incoming.headers['amz-sdk-invocation-id']);
    const values = input.ExpressionAttributeValues as Record<string, { S?: string }> | undefined;
    const caller = values?.[':keyId']?.S;
    const call = faulty.databaseCalls.get(id) ?? { operation, caller, attempts: [] };
    const index = call.attempts.push(fault) - 1;
    faulty.databaseCalls.set(id, call);
    // On a busy machine, any answer can be too late for the function.
    outgoing.on('close', () => {
      if (outgoing.writableFinished || call.attempts[index]) return;
      call.attempts[index] = 'late';
      faulty.unplannedFaults++;
    });
  }

  return faulty;
}

/** The subject of a request: an order, an owner's key, or a segment of a scan. */
function subjectOf({ operation, input }: DynamodbCall): string {
  const { Key, Segment, ExclusiveStartKey, ExpressionAttributeNames } = input;
  const names = operation === 'Scan' ? undefined : ExpressionAttributeNames;
  return JSON.stringify([operation, Key, names, Segment, ExclusiveStartKey]);
}

/** Node never ends a reset of a connection that the client is closing already. */
function resetConnection({ outgoing }: FaultyCall): void {
  const { socket } = outgoing;
  if (!socket || socket.writableEnded) outgoing.destroy();
  else socket.resetAndDestroy();
}

/** Sends the head of the database's answer and returns the first part of its body. */
async function begin({ execute, outgoing, portion }: FaultyCall): Promise<Buffer> {
  const { status, headers, body } = await execute();
  outgoing.writeHead(status, headers);
  return body.subarray(0, Math.floor(portion * body.length));
}
