import { EventEmitter, once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type DynamodbCall, DynamodbProxy } from '../../helpers/dynamodb-proxy.ts';
import { randomFrom } from '../random.ts';
import { type FaultKind, faults, type HeldAnswer, handOn } from './fault-kinds.ts';

/** Which requests fail, and how. */
export interface Mixture {
  readonly seed: number;
  /** The share of requests that fail, from 0 to 1. */
  readonly rate: number;
  readonly kinds: readonly FaultKind[];
  /** The orders that a page holds at the most, so that a small table has several. */
  readonly ordersPerPage: number;
}

export const noFaults: Omit<Mixture, 'seed'> = { rate: 0, kinds: [], ordersPerPage: 1_000 };

/** A write that DynamoDB carried out. */
export interface DoneWrite {
  /** The values of its expression, such as `:cancelRequestId`. */
  readonly values: Readonly<Record<string, { readonly S?: string }>>;
  /** Whether all of the answer has gone to the client. */
  isAnswered: boolean;
}

/**
 * A DynamoDB that fails by a seed. What becomes of a request follows from the seed, from what the
 * request is about, and from how many such requests came before it: the same run has the same faults.
 */
export class FaultyDynamodb implements AsyncDisposable {
  readonly #proxy: DynamodbProxy;
  readonly #target: string;
  readonly #patienceMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  #mixture: Mixture = { seed: 0, ...noFaults };
  #calls = new Map<string, number>();
  readonly #events = new EventEmitter<{ done: [] }>();
  #underWay = 0;
  /** Since the last mixture. */
  injected = new Map<FaultKind, number>();
  doneWrites: DoneWrite[] = [];

  /**
   * @param target a DynamoDB-compatible server
   * @param patienceMs the longest that the functions wait for an answer
   */
  static async before(target: string, patienceMs: number): Promise<FaultyDynamodb> {
    let faulty: FaultyDynamodb | undefined;
    const proxy = await DynamodbProxy.start((call) => faulty?.answer(call));
    faulty = new FaultyDynamodb(proxy, target, patienceMs);
    return faulty;
  }

  private constructor(proxy: DynamodbProxy, target: string, patienceMs: number) {
    this.#proxy = proxy;
    this.#target = target;
    this.#patienceMs = patienceMs;
  }

  get url(): string {
    return this.#proxy.url;
  }

  /** Begins anew with these faults. */
  use(mixture: Mixture): void {
    this.#mixture = mixture;
    this.#calls = new Map();
    this.injected = new Map();
    this.doneWrites = [];
    this.#proxy.requests.length = 0;
  }

  /** Resolves when nothing that was begun is under way any more. */
  async isAtRest(): Promise<void> {
    await this.#proxy.isIdle();
    while (this.#underWay > 0) await once(this.#events, 'done');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#agent.destroy();
  }

  /** Answers a request, or fails to. */
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
    const faulty = { ...call, pass, portion, patienceMs: this.#patienceMs };
    if (kind) this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
    this.#underWay++;
    try {
      await (kind ? faults[kind](faulty) : handOn(faulty));
    } finally {
      this.#underWay--;
      this.#events.emit('done');
    }
  }

  /** @param isWhole whether the answer is going to be handed on as it is */
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

/** What a request is about: an order, an owner's key, or a part of all orders. */
function subjectOf({ operation, input }: DynamodbCall): string {
  const { Key, Segment, ExclusiveStartKey, ExpressionAttributeNames } = input;
  const names = operation === 'Scan' ? undefined : ExpressionAttributeNames;
  return JSON.stringify([operation, Key, names, Segment, ExclusiveStartKey]);
}
