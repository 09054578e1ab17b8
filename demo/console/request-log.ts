import type { AnsweredRequest } from '../../local/http-server.ts';
import { listedOrders } from './function-log.ts';

interface PendingAnswer {
  readonly answered: AnsweredRequest;
  readonly timer: NodeJS.Timeout;
}

// A function's log line can arrive after its answer, usually within milliseconds.
const logMaxDelayMs = 100;
const rememberedMaxCount = 1_000;

/**
 * Combines each answered request with the number of orders that it listed, which is only in the
 * function's log.
 */
export class RequestLog {
  readonly #write: (answered: AnsweredRequest, orders: number | undefined) => void;
  readonly #listPath: string;
  readonly #pending = new Map<string, PendingAnswer>();
  readonly #orders = new Map<string, number>();

  /** @param listPath the path of the list, such as `/staging/v1/store/orders` */
  constructor(
    listPath: string,
    write: (answered: AnsweredRequest, orders: number | undefined) => void,
  ) {
    this.#listPath = listPath;
    this.#write = write;
  }

  /** Adds a request that has been answered. */
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
    this.#pending.set(id, { answered, timer });
  }

  /** Adds a line of a function's log. */
  addFunctionLine(line: string): void {
    const listed = listedOrders(line);
    if (!listed) return;
    const { answerId, orders } = listed;
    if (this.#pending.has(answerId)) this.#finish(answerId, orders);
    else this.#remember(answerId, orders);
  }

  #remember(answerId: string, orders: number): void {
    this.#orders.set(answerId, orders);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > rememberedMaxCount && oldest) this.#orders.delete(oldest);
  }

  /** Writes the requests that still wait for their log line. */
  close(): void {
    for (const id of [...this.#pending.keys()]) this.#finish(id, undefined);
  }

  #finish(id: string, orders: number | undefined): void {
    const { answered, timer } = this.#pending.get(id)!;
    clearTimeout(timer);
    this.#pending.delete(id);
    this.#write(answered, orders);
  }
}
