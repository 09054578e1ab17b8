import { setTimeout as wait } from 'node:timers/promises';
import {
  answer,
  contentType,
  type DynamodbCall,
  DynamodbProxy,
  failure,
} from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { randomFrom } from '../random.ts';

/** An answer of the database that has not been forwarded yet. */
interface HeldAnswer {
  readonly status: number;
  readonly body: Buffer;
}

interface FaultyCall extends DynamodbCall {
  /** Sends the request to the database, which executes it. */
  readonly pass: () => Promise<HeldAnswer>;
  /** The timeout of the functions' calls. */
  readonly answerTimeoutMs: number;
  /** A number from 0 to below 1: the extent of the fault, if it has one. */
  readonly portion: number;
}

type Fault = (call: FaultyCall) => unknown;

/** What a network and DynamoDB do to a request or its answer. None invents an answer. */
const faults = {
  /** The answer is delayed. */
  slow: async (call) => {
    await wait(call.portion * 25);
    await forwardAnswer(call);
  },
  /** The request is executed after the function's timeout. */
  late: async (call) => {
    await wait(call.answerTimeoutMs * (1 + call.portion));
    await forwardAnswer(call);
  },
  refused: ({ outgoing }) => outgoing.destroy(),
  reset: ({ outgoing }) => outgoing.socket?.resetAndDestroy(),
  exhausted: failure('ProvisionedThroughputExceededException'),
  throttled: failure('ThrottlingException'),
  broken: answer({ __type: 'InternalServerError', message: 'try again' }, 500),
  unavailable: ({ outgoing }) => outgoing.writeHead(503).end('<html>unavailable</html>'),
  hanging: () => {},
  /** The request is executed, and its answer is lost. */
  lost: async ({ pass, outgoing }) => {
    await pass();
    outgoing.socket?.resetAndDestroy();
  },
  /** The request is executed, and its answer never arrives. */
  swallowed: ({ pass }) => pass(),
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

/** A write that DynamoDB has executed. */
export interface DoneWrite {
  /** The values of its expression, such as `:cancelRequestId`. */
  readonly values: Readonly<Record<string, { readonly S?: string }>>;
  /** Whether the whole answer was sent to the client. */
  isAnswered: boolean;
}

/**
 * A DynamoDB with faults that a seed determines. The fault of a request depends on the seed, on the
 * subject of the request and on the number of earlier requests with this subject, so that the same run
 * has the same faults.
 */
export class FaultyDynamodb implements AsyncDisposable {
  readonly #proxy: DynamodbProxy;
  readonly #target: string;
  readonly #answerTimeoutMs: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #mixture = noFaults;
  #calls = new Map<string, number>();
  doneWrites: DoneWrite[] = [];
  /** Whether a request had a fault since the last call of `use`. */
  hasFailed = false;

  /**
   * @param target a DynamoDB-compatible server
   * @param answerTimeoutMs the timeout of the functions' calls
   */
  static async before(target: string, answerTimeoutMs: number): Promise<FaultyDynamodb> {
    let faulty: FaultyDynamodb | undefined;
    const proxy = await DynamodbProxy.start((call) => faulty?.answer(call));
    faulty = new FaultyDynamodb(proxy, target, answerTimeoutMs);
    return faulty;
  }

  private constructor(proxy: DynamodbProxy, target: string, answerTimeoutMs: number) {
    this.#proxy = proxy;
    this.#target = target;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  get url(): string {
    return this.#proxy.url;
  }

  /** Starts a new run with these faults. */
  use(mixture: Mixture): void {
    this.#mixture = mixture;
    this.#calls = new Map();
    this.doneWrites = [];
    this.hasFailed = false;
    this.#proxy.requests.length = 0;
  }

  /** Resolves when no request is under way, neither before the database nor in it. */
  async isIdle(): Promise<void> {
    await this.#proxy.isIdle();
    await Promise.all(this.#underWay);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
  }

  /** Answers a request, possibly with a fault. */
  async answer(call: DynamodbCall): Promise<void> {
    const { seed, rate, kinds } = this.#mixture;
    const subject = subjectOf(call);
    const number = (this.#calls.get(subject) ?? 0) + 1;
    this.#calls.set(subject, number);
    const random = randomFrom(seed, subject, number);
    const portion = random.next();
    const kind = random.chance(rate) ? random.pick(kinds) : undefined;
    this.hasFailed ||= kind !== undefined;
    const pass = () => this.#pass(call, kind === undefined || kind === 'slow');
    const faulty = { ...call, pass, portion, answerTimeoutMs: this.#answerTimeoutMs };
    const answering = Promise.resolve((kind ? faults[kind] : forwardAnswer)(faulty));
    this.#underWay.add(answering);
    await answering.finally(() => this.#underWay.delete(answering));
  }

  /** Executes a request. @param isWhole whether its answer will be forwarded unchanged */
  async #pass(call: DynamodbCall, isWhole: boolean): Promise<HeldAnswer> {
    const { 'x-amz-target': target, authorization, 'x-amz-date': date } = call.incoming.headers;
    const { ordersPerPage } = this.#mixture;
    const isScan = call.operation === 'Scan';
    const response = await fetch(this.#target, {
      method: 'POST',
      headers: {
        ...contentType,
        'x-amz-target': String(target),
        'x-amz-date': String(date),
        authorization: String(authorization),
      },
      body: isScan ? JSON.stringify({ ...call.input, Limit: ordersPerPage }) : call.body,
    });
    const held = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    if (held.status === 200 && call.operation === 'UpdateItem') this.#note(call, isWhole);
    return held;
  }

  #note({ input, outgoing }: DynamodbCall, isWhole: boolean): void {
    const values = input.ExpressionAttributeValues as DoneWrite['values'];
    const write: DoneWrite = { values, isAnswered: false };
    this.doneWrites.push(write);
    outgoing.on('finish', () => {
      write.isAnswered = isWhole;
    });
  }
}

/** The subject of a request: an order, an owner's key, or a segment of a scan. */
function subjectOf({ operation, input }: DynamodbCall): string {
  const { Key, Segment, ExclusiveStartKey, ExpressionAttributeNames } = input;
  const names = operation === 'Scan' ? undefined : ExpressionAttributeNames;
  return JSON.stringify([operation, Key, names, Segment, ExclusiveStartKey]);
}

/** Forwards the database's answer. */
async function forwardAnswer({ pass, outgoing }: FaultyCall): Promise<void> {
  const { status, body } = await pass();
  outgoing.writeHead(status, { ...contentType, 'content-length': body.length }).end(body);
}

/** Sends the head of the database's answer and returns the first part of its body. */
async function begin({ pass, outgoing, portion }: FaultyCall): Promise<Buffer> {
  const { status, body } = await pass();
  outgoing.writeHead(status, { ...contentType, 'content-length': body.length });
  return body.subarray(0, Math.floor(portion * body.length));
}
