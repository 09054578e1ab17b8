import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Contract } from '../../../smoke/stage/contract.ts';
import { timeoutsMs } from '../faults/function-timeouts.ts';
import { wholeListDifferences } from '../faults/list-differences.ts';
import type { StoreAnswer } from '../faults/store-under-faults.ts';
import type { Violations } from './invariants.ts';
import type { OrderBatches } from './order-batches.ts';

export type RequestKind = 'list' | 'gzip list' | 'cancel' | 'bad key' | 'limited';

/** A request and its answer. Times are those of `performance.now()`. */
export interface Exchange {
  readonly kind: RequestKind;
  readonly answer: StoreAnswer;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Whether there were no faults during the request or within the recovery time before it. */
  readonly isFaultFree: boolean;
}

const contract = new Contract(parse(readFileSync('openapi.yaml', 'utf8')));
/** Added to the timeouts, because the machine may be under other load. */
const slackMs = 3_000;

/** The statuses of the answers while there are no faults. */
const expectedStatuses: Readonly<Record<RequestKind, readonly number[]>> = {
  list: [200],
  'gzip list': [200],
  cancel: [204, 409],
  'bad key': [401],
  limited: [404, 429],
};

const isList = (kind: RequestKind) => kind === 'list' || kind === 'gzip list';

/** Checks the invariants with each answer of a run. */
export class InvariantChecker {
  readonly #violations: Violations;
  readonly #batches: Pick<OrderBatches, 'expectedList'>;
  readonly #perMinute: number;
  /** The number of the limited owner's admitted requests, by the end of the minute in Unix seconds. */
  readonly #admitted = new Map<number, number>();

  /** @param perMinute the limit of the limited owner */
  constructor(
    violations: Violations,
    batches: Pick<OrderBatches, 'expectedList'>,
    perMinute: number,
  ) {
    this.#violations = violations;
    this.#batches = batches;
    this.#perMinute = perMinute;
  }

  check(exchange: Exchange): void {
    const { kind, answer, startedAtMs, endedAtMs } = exchange;
    this.#violations.add('answer', answerDifferences(exchange));
    this.#violations.add('time', lateness(exchange));
    this.#violations.add('success', wrongSuccess(exchange));
    this.#violations.add('recovery', unexpectedFailure(exchange));
    if (kind === 'limited') this.#violations.add('limit', this.#excess(answer));
    if (!isList(kind) || answer.status !== 200) return;
    const expected = this.#batches.expectedList(startedAtMs, endedAtMs);
    const isGzip = kind === 'gzip list';
    this.#violations.add('list', wholeListDifferences(answer, { ...expected, isGzip }));
  }

  #excess({ status, headers }: StoreAnswer): string[] {
    const limit = headers.get('x-ratelimit-limit')?.[0] ?? '0';
    const seconds = /"minute";r=\d+;t=(\d+)/.exec(headers.get('ratelimit')?.[0] ?? '')?.[1];
    if (status === 429 || limit === '0' || seconds === undefined) return [];
    const dateSeconds = Date.parse(headers.get('date')?.[0] ?? '') / 1_000;
    // The date of the answer may be some seconds later than the time at which it was counted.
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
  const checked = { status, headers, ...(status !== 200 && { text: body.toString() }) };
  const operation = isList(kind) ? 'listOrders' : 'cancelOrder';
  const found = contract.differences(operation, checked);
  return found.map((difference) => `${kind} was answered ${status}: ${difference}`);
}

function lateness({ kind, startedAtMs, endedAtMs }: Exchange): string[] {
  const limitMs = timeoutsMs[isList(kind) ? 'GET' : 'DELETE'] + slackMs;
  const tookMs = Math.round(endedAtMs - startedAtMs);
  return tookMs <= limitMs ? [] : [`${kind} took ${tookMs} ms, and may take ${limitMs}`];
}

function wrongSuccess({ kind, answer: { status = 0 } }: Exchange): string[] {
  const isSuccess = status >= 200 && status <= 299;
  if (!isSuccess || expectedStatuses[kind].includes(status)) return [];
  return [`${kind} was answered ${status}`];
}

function unexpectedFailure({ kind, answer, isFaultFree }: Exchange): string[] {
  const { status, isComplete } = answer;
  const isRight = isComplete && expectedStatuses[kind].includes(status ?? 0);
  if (!isFaultFree || isRight) return [];
  return [`${kind} was answered ${status ?? 'nothing'}${isComplete ? '' : ', and broke off'}`];
}
