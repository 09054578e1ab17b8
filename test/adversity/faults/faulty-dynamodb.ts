import { EventEmitter, once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type DynamodbCall, DynamodbProxy } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { randomFrom } from '../random.ts';
import { type FaultKind, faults, forwardAnswer, type HeldAnswer } from './fault-kinds.ts';

/** The share of requests that fail, and the kinds of their faults. */
export interface Mixture {
  readonly seed: number;
  /** The share of requests that fail, from 0 to 1. */
  readonly rate: number;
  readonly kinds: readonly FaultKind[];
  /** The maximum number of orders per page, so that a small table has several pages. */
  readonly ordersPerPage: number;
}

export const noFaults: Omit<Mixture, 'seed'> = { rate: 0, kinds: [], ordersPerPage: 1_000 };

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
  readonly #agent = new Agent({ keepAlive: true });
  #mixture: Mixture = { seed: 0, ...noFaults };
  #calls = new Map<string, number>();
  readonly #events = new EventEmitter<{ done: [] }>();
  #underWay = 0;
  /** The number of faults of each kind since the last call of `use`. */
  injected = new Map<FaultKind, number>();
  doneWrites: DoneWrite[] = [];

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
    this.injected = new Map();
    this.doneWrites = [];
    this.#proxy.requests.length = 0;
  }

  /** Resolves when no request is under way. */
  async isIdle(): Promise<void> {
    await this.#proxy.isIdle();
    while (this.#underWay > 0) await once(this.#events, 'done');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#agent.destroy();
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
    const isWhole = kind === undefined || kind === 'slow';
    const pass = () => this.#pass(call, isWhole);
    const faulty = { ...call, pass, portion, answerTimeoutMs: this.#answerTimeoutMs };
    if (kind) this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
    this.#underWay++;
    try {
      await (kind ? faults[kind](faulty) : forwardAnswer(faulty));
    } finally {
      this.#underWay--;
      this.#events.emit('done');
    }
  }

  /** Executes a request. @param isWhole whether its answer will be forwarded unchanged */
  async #pass(call: DynamodbCall, isWhole: boolean): Promise<HeldAnswer> {
    const { host: _, 'content-length': __, ...headers } = call.incoming.headers;
    const { ordersPerPage } = this.#mixture;
    const body =
      call.operation === 'Scan'
        ? JSON.stringify({ ...call.input, Limit: ordersPerPage })
        : call.body;
    const forwarded = request(this.#target, { agent: this.#agent, method: 'POST', headers });
    const answered = once(forwarded, 'response') as Promise<[IncomingMessage]>;
    forwarded.end(body);
    const [response] = await answered;
    const held = { status: response.statusCode ?? 500, body: await buffer(response) };
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
