import { stageOfKey } from '../../lib/settings/stages.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Contract } from './contract.ts';
import { Exchanges } from './exchanges.ts';
import type { Answer, HttpClient, OutgoingRequest, TextAnswer } from './http-client.ts';
import { rateLimitFieldDifferences } from './rate-limit-fields.ts';

export interface CallOptions {
  /** The whole `Authorization` header; `null` sends none. @default `Bearer` and the key */
  readonly authorization?: string | null;
  /** The value of the path parameter, which is not encoded. */
  readonly orderId?: string;
  /** The query with its `?`, which is appended to the path. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Expected {
  readonly status: number;
  /** The expected error code in the body. */
  readonly code?: string;
}

/** A deployed or local stage, with calls of the contract's operations. */
export class Stage {
  readonly contract: Contract;
  readonly key: string;
  readonly clock: Clock;
  /** The record of all requests and answers. */
  readonly exchanges = new Exchanges();
  readonly #client: HttpClient;

  constructor(client: HttpClient, contract: Contract, key: string, clock: Clock = systemClock) {
    this.#client = client;
    this.contract = contract;
    this.key = key;
    this.clock = clock;
  }

  get url(): URL {
    return this.#client.baseUrl;
  }

  /** The stage that the key is for, or `STAGE` for a key of none. */
  get name(): string {
    return stageOfKey(this.key) ?? 'STAGE';
  }

  /** Calls an operation and reads its body as text. */
  call(operationId: string, options: CallOptions = {}): Promise<TextAnswer> {
    return this.#read(this.#question(operationId, options));
  }

  /** Calls an operation without reading its body. */
  async open(operationId: string, options: CallOptions = {}): Promise<Answer> {
    const question = this.#question(operationId, options);
    const answered = this.exchanges.begin(question);
    const answer = await this.#client.send(question);
    answered(answer);
    return answer;
  }

  /** Calls a path that is not an operation of the contract. */
  callPath(method: string, path: string, options: CallOptions = {}): Promise<TextAnswer> {
    return this.#read({ method, path, headers: this.#headers(options) });
  }

  /** Calls an operation. Returns the differences of the answer, as `compare` does. */
  async expect(operationId: string, options: CallOptions, expected: Expected): Promise<string[]> {
    return this.compare(operationId, await this.call(operationId, options), expected);
  }

  /** The differences of an answer from the expectation and from the contract. */
  compare(operationId: string, answer: TextAnswer, expected: Expected): string[] {
    return this.#markIfDifferent(answer, [
      ...unexpected(answer, expected),
      ...this.contract.differences(operationId, answer),
      ...rateLimitFieldDifferences(answer, serverSeconds(answer)),
      ...this.keyDifferences(answer),
    ]);
  }

  /** Like `compare`, for a gateway response. */
  compareGateway(type: string, answer: TextAnswer, expected: Expected): string[] {
    return this.#markIfDifferent(answer, [
      ...unexpected(answer, expected),
      ...this.contract.gatewayDifferences(type, answer),
      ...rateLimitFieldDifferences(answer, serverSeconds(answer)),
      ...this.keyDifferences(answer),
    ]);
  }

  /** A difference if the response contains the key, which no response may. */
  keyDifferences(answer: Answer & { readonly text?: string }): string[] {
    const all = [...answer.headers.values()].flat().concat(answer.text ?? '');
    return all.some((text) => text.includes(this.key)) ? ['the response repeats the API key'] : [];
  }

  async #read(question: OutgoingRequest): Promise<TextAnswer> {
    const answered = this.exchanges.begin(question);
    const answer = await this.#client.sendForText(question);
    answered(answer);
    this.exchanges.received(answer, Buffer.byteLength(answer.text), answer.text);
    return answer;
  }

  #markIfDifferent(answer: Answer, differences: string[]): string[] {
    if (differences.length > 0) this.exchanges.markDifferent(answer);
    return differences;
  }

  #question(operationId: string, options: CallOptions) {
    const { method, path } = this.contract.operation(operationId);
    const filled = path.replace('{orderId}', options.orderId ?? '').replace('{petId}', '7');
    return {
      method,
      path: filled + (options.query ?? ''),
      headers: this.#headers(options),
      body: options.body,
    };
  }

  #headers({ authorization = `Bearer ${this.key}`, headers }: CallOptions): Record<string, string> {
    return {
      accept: 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...headers,
    };
  }
}

/** The rate-limit headers as numbers; NaN for one that is missing or not a number. */
export function rateLimitOf(answer: Answer): { limit: number; remaining: number; reset: number } {
  const value = (name: string) => Number(answer.headers.get(`x-ratelimit-${name}`)?.[0] ?? 'none');
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}

/** The value of a rate-limit header, or `absent`. */
export function shownRateLimit(answer: Answer, name: 'limit' | 'remaining' | 'reset'): string {
  return answer.headers.get(`x-ratelimit-${name}`)?.join() ?? 'absent';
}

/** The server's time in Unix seconds, so that a wrong clock of this machine has no effect. */
export function serverSeconds(answer: Pick<Answer, 'headers'>): number {
  const date = Date.parse(answer.headers.get('date')?.[0] ?? '');
  return Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000);
}

/** The error code in an answer's body; undefined when there is none. */
export function codeOf({ text }: TextAnswer): string | undefined {
  try {
    const code = JSON.parse(text)?.code;
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

function unexpected(answer: TextAnswer, { status, code }: Expected): string[] {
  const actualCode = codeOf(answer);
  if (answer.status === status && (code === undefined || actualCode === code)) return [];
  const actual = [answer.status, actualCode].filter((part) => part !== undefined).join(' ');
  return [`answered ${actual}, expected ${[status, code].filter(Boolean).join(' ')}`];
}
