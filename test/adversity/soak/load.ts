import type { HttpClient } from '../../../smoke/stage/http-client.ts';
import { sendOverHttp } from '../faults/send-over-http.ts';
import type { StoreRequest } from '../faults/store-under-faults.ts';
import { type Random, randomFrom } from '../random.ts';
import type { Exchange, RequestKind } from './invariant-checker.ts';
import { type OrderBatch, recordCancel } from './order-batches.ts';

/** Bounds the memory of this process while the database does not answer. */
const maxInFlight = 64;

/** The kinds of twenty requests on average. */
const requestMix: readonly RequestKind[] = [
  ...Array<RequestKind>(12).fill('cancel'),
  ...Array<RequestKind>(1).fill('list'),
  ...Array<RequestKind>(1).fill('gzip list'),
  ...Array<RequestKind>(2).fill('bad key'),
  ...Array<RequestKind>(4).fill('limited'),
];
const badKeys = ['', 'Bearer wrong', 'Basic c286dGVzdA==', `Bearer so_test_${'a'.repeat(46)}`];
const unknownOrder = '404';
/** The number of orders that are cancelled at a time, so that several requests compete for each. */
const poolSize = 10;

interface Tokens {
  readonly unlimited: string;
  readonly limited: string;
}

/** A mixed load. The caller sets its rate, which does not depend on the answers. */
export class Load {
  readonly #client: Pick<HttpClient, 'send'>;
  readonly #tokens: Tokens;
  readonly #random: Random;
  readonly #record: (exchange: Exchange) => void;
  readonly #inFlight = new Set<Promise<void>>();
  /** The orders to cancel. */
  batch: OrderBatch | undefined;
  /** How far the load has come through them, from 0 to 1. */
  progress = 0;
  /** The time of `performance.now()` from which the service is expected to have recovered. */
  faultFreeFromMs = 0;
  /** The number of requests that were not sent because too many were in flight. */
  notSent = 0;

  constructor(
    client: Pick<HttpClient, 'send'>,
    tokens: Tokens,
    seed: number,
    record: (exchange: Exchange) => void,
  ) {
    this.#client = client;
    this.#tokens = tokens;
    this.#random = randomFrom(seed, 'load');
    this.#record = record;
  }

  /** Resolves when no request is in flight. */
  async isIdle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  sendNext(): void {
    if (this.#inFlight.size >= maxInFlight) {
      this.notSent++;
      return;
    }
    const done = this.#send(this.#random.pick(requestMix)).finally(() =>
      this.#inFlight.delete(done),
    );
    this.#inFlight.add(done);
  }

  async #send(kind: RequestKind): Promise<void> {
    const startedAtMs = performance.now();
    const batch = kind === 'cancel' ? this.batch : undefined;
    if (batch) batch.inFlight++;
    const orderId = batch ? this.#pickOrder(batch) : unknownOrder;
    const answer = await sendOverHttp(this.#requestOf(kind, orderId), this.#client);
    if (batch) {
      batch.inFlight--;
      recordCancel(batch.cancels.get(orderId)!, answer);
    }
    const isFaultFree = startedAtMs >= this.faultFreeFromMs;
    this.#record({ kind, answer, startedAtMs, endedAtMs: performance.now(), isFaultFree });
  }

  /** Picks one of a few orders, which move on with the progress, so that cancels can always succeed. */
  #pickOrder({ ids }: OrderBatch): string {
    const first = Math.floor(this.progress * Math.max(0, ids.length - poolSize));
    return this.#random.pick(ids.slice(first, first + poolSize));
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
