import type { HttpClient } from '../../../smoke/stage/http-client.ts';
import { sendOverHttp } from '../faults/send-over-http.ts';
import type { StoreRequest } from '../faults/store-under-faults.ts';
import { type Random, randomFrom } from '../random.ts';
import type { Exchange, RequestKind } from './judge.ts';
import { noteCancel, type OrderBatch } from './order-batches.ts';

/** More are never under way: a database that hangs must not have this process hold ever more. */
const mostUnderWay = 64;

/** Of twenty requests, as many as it is named. */
const wheel: readonly RequestKind[] = [
  ...Array<RequestKind>(12).fill('cancel'),
  ...Array<RequestKind>(1).fill('list'),
  ...Array<RequestKind>(1).fill('gzip list'),
  ...Array<RequestKind>(2).fill('bad key'),
  ...Array<RequestKind>(4).fill('limited'),
];
const badKeys = ['', 'Bearer wrong', 'Basic c286dGVzdA==', `Bearer so_test_${'a'.repeat(46)}`];
const unknownOrder = '404';
/** How often an order is cancelled again at once, so that two requests race for it. */
const repetition = 0.3;

interface Tokens {
  readonly unlimited: string;
  readonly limited: string;
}

/** A mixed load at a steady rate, whatever the answers take. */
export class Load {
  readonly #client: HttpClient;
  readonly #tokens: Tokens;
  readonly #random: Random;
  readonly #take: (exchange: Exchange) => void;
  readonly #underWay = new Set<Promise<void>>();
  #orderId = unknownOrder;
  /** Where the orders to cancel are taken from. */
  batch: OrderBatch | undefined;
  /** From when on, as `performance.now()` tells it, nothing disturbs the requests. */
  undisturbedFromMs = 0;
  /** Requests that were not sent because too many were under way. */
  heldBack = 0;

  constructor(
    client: HttpClient,
    tokens: Tokens,
    seed: number,
    take: (exchange: Exchange) => void,
  ) {
    this.#client = client;
    this.#tokens = tokens;
    this.#random = randomFrom(seed, 'load');
    this.#take = take;
  }

  /** Resolves when no request is under way. */
  async isAtRest(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  sendNext(): void {
    if (this.#underWay.size >= mostUnderWay) {
      this.heldBack++;
      return;
    }
    const done = this.#send(this.#random.pick(wheel)).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #send(kind: RequestKind): Promise<void> {
    const beganAtMs = performance.now();
    const batch = kind === 'cancel' ? this.batch : undefined;
    if (batch) batch.underWay++;
    const orderId = batch ? this.#pickOrder(batch) : unknownOrder;
    const answer = await sendOverHttp(this.#requestOf(kind, orderId), this.#client);
    if (batch) {
      batch.underWay--;
      noteCancel(batch.cancels.get(orderId)!, answer);
    }
    const isUndisturbed = beganAtMs >= this.undisturbedFromMs;
    this.#take({ kind, answer, beganAtMs, endedAtMs: performance.now(), isUndisturbed });
  }

  #pickOrder({ ids, cancels }: OrderBatch): string {
    const isAgain = this.#random.chance(repetition) && cancels.has(this.#orderId);
    if (!isAgain) this.#orderId = this.#random.pick(ids);
    return this.#orderId;
  }

  #requestOf(kind: RequestKind, orderId: string): StoreRequest {
    const { unlimited, limited } = this.#tokens;
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const list = { method: 'GET', path: '/store/orders' } as const;
    const cancel = { method: 'DELETE', path: `/store/orders/${orderId}` } as const;
    switch (kind) {
      case 'list':
        return { ...list, headers: bearer(unlimited) };
      case 'gzip list':
        return { ...list, headers: { ...bearer(unlimited), 'accept-encoding': 'gzip' } };
      case 'cancel':
        return { ...cancel, headers: bearer(unlimited) };
      case 'bad key':
        return { ...cancel, headers: { authorization: this.#random.pick(badKeys) } };
      case 'limited':
        return { ...cancel, headers: bearer(limited) };
    }
  }
}
