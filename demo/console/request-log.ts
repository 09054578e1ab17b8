import type { AnsweredRequest } from '../../local/http-server.ts';
import { listedOrders } from './function-log.ts';

interface Waiting {
  readonly answered: AnsweredRequest;
  readonly timer: NodeJS.Timeout;
}

// A function's log and its answer come on different ways; the log follows within milliseconds.
const logMaxDelayMs = 100;
const rememberedMaxCount = 1_000;

/**
 * Brings each answered request together with how many orders it listed, which only the log of the
 * function tells.
 */
export class RequestLog {
  readonly #write: (answered: AnsweredRequest, orders: number | undefined) => void;
  readonly #listPath: string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #orders = new Map<string, number>();

  /** @param listPath such as `/staging/v1/store/orders` */
  constructor(
    listPath: string,
    write: (answered: AnsweredRequest, orders: number | undefined) => void,
  ) {
    this.#listPath = listPath;
    this.#write = write;
  }

  /** Takes each request that has been answered. */
  add(answered: AnsweredRequest): void {
    const { method, target, answer } = answered;
    const isList = method === 'GET' && target.replace(/\?.*/s, '') === this.#listPath;
    const id = answer.headers.find(([name]) => name === 'x-amz-apigw-id')?.[1];
    const orders = id === undefined ? undefined : this.#orders.get(id);
    if (!isList || answer.statusCode !== 200 || id === undefined || orders !== undefined) {
      this.#write(answered, orders);
      return;
    }
    const timer = setTimeout(() => this.#finish(id, undefined), logMaxDelayMs);
    this.#waiting.set(id, { answered, timer });
  }

  /** Takes each line that a function logged. */
  addFunctionLine(line: string): void {
    const listed = listedOrders(line);
    if (!listed) return;
    const { answerId, orders } = listed;
    if (this.#waiting.has(answerId)) this.#finish(answerId, orders);
    else this.#remember(answerId, orders);
  }

  #remember(answerId: string, orders: number): void {
    this.#orders.set(answerId, orders);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > rememberedMaxCount && oldest) this.#orders.delete(oldest);
  }

  /** Writes what is still waiting. */
  close(): void {
    for (const id of [...this.#waiting.keys()]) this.#finish(id, undefined);
  }

  #finish(id: string, orders: number | undefined): void {
    const { answered, timer } = this.#waiting.get(id)!;
    clearTimeout(timer);
    this.#waiting.delete(id);
    this.#write(answered, orders);
  }
}
