import { Contract } from '../../../smoke/stage/contract.ts';
import { timeoutsMs } from '../faults/function-timeouts.ts';
import { wholeListDifferences } from '../faults/list-differences.ts';
import type { StoreAnswer } from '../faults/store-under-faults.ts';
import type { OrderBatches } from './order-batches.ts';
import type { BrokenPromises } from './promises.ts';

export type RequestKind = 'list' | 'gzip list' | 'cancel' | 'bad key' | 'limited';

/** A request and what came of it. Times are those of `performance.now()`. */
export interface Exchange {
  readonly kind: RequestKind;
  readonly answer: StoreAnswer;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** Whether all of it was at a time when no fault, and nothing that one left behind, was there. */
  readonly isUndisturbed: boolean;
}

const contract = Contract.read('openapi.yaml');
/** For a machine that has more to do. */
const slackMs = 3_000;

/** The statuses that a request may have while nothing fails; the first one is its success. */
const rightStatuses: Readonly<Record<RequestKind, readonly number[]>> = {
  list: [200],
  'gzip list': [200],
  cancel: [204, 409],
  'bad key': [401],
  limited: [404, 429],
};

const isList = (kind: RequestKind) => kind === 'list' || kind === 'gzip list';

/** Judges every answer of a run as it comes. */
export class Judge {
  readonly #broken: BrokenPromises;
  readonly #batches: Pick<OrderBatches, 'expectedList'>;
  readonly #perMinute: number;
  /** Of the limited owner: the admitted requests by the end of their minute, in Unix seconds. */
  readonly #admitted = new Map<number, number>();

  /** @param perMinute the requests that the limited owner has in a minute */
  constructor(
    broken: BrokenPromises,
    batches: Pick<OrderBatches, 'expectedList'>,
    perMinute: number,
  ) {
    this.#broken = broken;
    this.#batches = batches;
    this.#perMinute = perMinute;
  }

  judge(exchange: Exchange): void {
    const { kind, answer, beganAtMs, endedAtMs } = exchange;
    this.#broken.add('answer', answerDifferences(exchange));
    this.#broken.add('time', lateness(exchange));
    this.#broken.add('success', wrongSuccess(exchange));
    this.#broken.add('recovery', disturbance(exchange));
    if (kind === 'limited') this.#broken.add('limit', this.#excess(answer));
    if (!isList(kind) || answer.status !== 200) return;
    const expected = this.#batches.expectedList(beganAtMs, endedAtMs);
    const isGzip = kind === 'gzip list';
    this.#broken.add('list', wholeListDifferences(answer, { ...expected, isGzip }));
  }

  #excess({ status, headers }: StoreAnswer): string[] {
    const limit = headers.get('x-ratelimit-limit')?.[0] ?? '0';
    const seconds = /"minute";r=\d+;t=(\d+)/.exec(headers.get('ratelimit')?.[0] ?? '')?.[1];
    if (status === 429 || limit === '0' || seconds === undefined) return [];
    const dateSeconds = Date.parse(headers.get('date')?.[0] ?? '') / 1_000;
    // The answer is dated a little later than its request was counted.
    const minute = Math.round((dateSeconds + Number(seconds)) / 60) * 60;
    const admitted = (this.#admitted.get(minute) ?? 0) + 1;
    this.#admitted.set(minute, admitted);
    if (admitted <= this.#perMinute) return [];
    return [`${admitted} requests were admitted, of ${this.#perMinute}`];
  }
}

function answerDifferences({ kind, answer }: Exchange): string[] {
  const { status, headers, body, isComplete } = answer;
  if (!isComplete || status === undefined) return [];
  const judged = { status, headers, ...(status !== 200 && { text: body.toString() }) };
  const operation = isList(kind) ? 'listOrders' : 'cancelOrder';
  const found = contract.differences(operation, judged);
  return found.map((difference) => `${kind} was answered ${status}: ${difference}`);
}

function lateness({ kind, beganAtMs, endedAtMs }: Exchange): string[] {
  const limitMs = timeoutsMs[isList(kind) ? 'GET' : 'DELETE'] + slackMs;
  const tookMs = Math.round(endedAtMs - beganAtMs);
  return tookMs <= limitMs ? [] : [`${kind} took ${tookMs} ms, and may take ${limitMs}`];
}

function wrongSuccess({ kind, answer: { status = 0 } }: Exchange): string[] {
  const isSuccess = status >= 200 && status <= 299;
  if (!isSuccess || rightStatuses[kind].includes(status)) return [];
  return [`${kind} was answered ${status}`];
}

function disturbance({ kind, answer, isUndisturbed }: Exchange): string[] {
  const { status, isComplete } = answer;
  const isRight = isComplete && rightStatuses[kind].includes(status ?? 0);
  if (!isUndisturbed || isRight) return [];
  return [`${kind} was answered ${status ?? 'nothing'}${isComplete ? '' : ', and broke off'}`];
}
