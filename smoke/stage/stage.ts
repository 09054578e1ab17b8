import { stageOfKey } from '../../lib/settings/stages.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Contract } from './contract.ts';
import { Exchanges } from './exchanges.ts';
import type { Answer, HttpClient, Question, TextAnswer } from './http-client.ts';
import { rateLimitFieldDifferences } from './rate-limit-fields.ts';

export interface CallOptions {
  /** The whole `Authorization` header; `null` sends none. @default `Bearer` and the key */
  readonly authorization?: string | null;
  /** Put into the path as it is, without encoding. */
  readonly orderId?: string;
  /** Appended to the path. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Expected {
  readonly status: number;
  /** The error code that the body must carry. */
  readonly code?: string;
}

/** A deployed stage, seen through its contract. */
export class Stage {
  readonly contract: Contract;
  readonly key: string;
  readonly clock: Clock;
  /** What was asked and answered. */
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

  /** Calls an operation and leaves its body to be read. */
  async open(operationId: string, options: CallOptions = {}): Promise<Answer> {
    const question = this.#question(operationId, options);
    const answered = this.exchanges.begin(question);
    const answer = await this.#client.send(question);
    answered(answer);
    return answer;
  }

  /** Calls what is no operation. */
  callPath(method: string, path: string, options: CallOptions = {}): Promise<TextAnswer> {
    return this.#read({ method, path, headers: this.#headers(options) });
  }

  /** Calls an operation and compares the answer with what is expected and what is documented. */
  async expect(operationId: string, options: CallOptions, expected: Expected): Promise<string[]> {
    return this.compare(operationId, await this.call(operationId, options), expected);
  }

  compare(operationId: string, answer: TextAnswer, expected: Expected): string[] {
    return this.#blaming(answer, [
      ...unexpected(answer, expected),
      ...this.contract.differences(operationId, answer),
      ...rateLimitFieldDifferences(answer, serverSeconds(answer)),
      ...this.keyDifferences(answer),
    ]);
  }

  /** As `compare`, for what the gateway answers by itself. */
  compareGateway(type: string, answer: TextAnswer, expected: Expected): string[] {
    return this.#blaming(answer, [
      ...unexpected(answer, expected),
      ...this.contract.gatewayDifferences(type, answer),
      ...rateLimitFieldDifferences(answer, serverSeconds(answer)),
      ...this.keyDifferences(answer),
    ]);
  }

  /** No response may repeat the key, not even to the one who sent it. */
  keyDifferences(answer: Answer & { readonly text?: string }): string[] {
    const all = [...answer.headers.values()].flat().concat(answer.text ?? '');
    return all.some((text) => text.includes(this.key)) ? ['the response repeats the API key'] : [];
  }

  async #read(question: Question): Promise<TextAnswer> {
    const answered = this.exchanges.begin(question);
    const answer = await this.#client.sendForText(question);
    answered(answer);
    this.exchanges.received(answer, Buffer.byteLength(answer.text), answer.text);
    return answer;
  }

  #blaming(answer: Answer, differences: string[]): string[] {
    if (differences.length > 0) this.exchanges.blame(answer);
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

/** The rate-limit headers as numbers; NaN where one is missing or none. */
export function rateLimitOf(answer: Answer): { limit: number; remaining: number; reset: number } {
  const value = (name: string) => Number(answer.headers.get(`x-ratelimit-${name}`)?.[0] ?? 'none');
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}

/** A rate-limit header as it came. */
export function shownRateLimit(answer: Answer, name: 'limit' | 'remaining' | 'reset'): string {
  return answer.headers.get(`x-ratelimit-${name}`)?.join() ?? 'absent';
}

/** The server's own time in Unix seconds, so that a wrong clock here makes no difference there. */
export function serverSeconds(answer: Pick<Answer, 'headers'>): number {
  const date = Date.parse(answer.headers.get('date')?.[0] ?? '');
  return Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000);
}

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
