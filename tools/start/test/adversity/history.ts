import type { TextAnswer } from '../../../smoke/stage/http-client.ts';

/** A request and its answer. Times are those of `performance.now()`. */
export interface Exchange {
  readonly ownerId: string;
  /** The order of a cancellation; undefined for other requests. */
  readonly orderId: string | undefined;
  readonly answer: Pick<TextAnswer, 'status' | 'headers' | 'text'>;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
}

const codeOf = ({ answer: { text } }: Exchange) => (text === '' ? '' : JSON.parse(text).code);
const headerOf = ({ answer }: Exchange, name: string) => Number(answer.headers.get(name)?.[0]);

/**
 * The contradictions of a history to the rule that every cancellation takes effect at one time between
 * its start and its end: a second success, a refusal without any success, and a refusal that ended
 * before the success started.
 */
export function cancelContradictions(exchanges: readonly Exchange[]): string[] {
  const orders = Map.groupBy(
    exchanges.filter(({ orderId }) => orderId !== undefined),
    ({ orderId }) => orderId!,
  );
  return [...orders].flatMap(([orderId, asked]) => {
    const done = asked.filter(({ answer }) => answer.status === 204);
    // A request that failed may have been executed.
    const isOpen = asked.some(({ answer }) => answer.status >= 500);
    const late = asked.filter((each) => codeOf(each) === 'order_already_cancelled');
    const early = late.filter(({ endedAtMs }) => done.some((each) => each.beganAtMs > endedAtMs));
    return [
      ...(done.length > 1 ? [`${orderId} was cancelled ${done.length} times`] : []),
      ...(done.length === 0 && late.length > 0 && !isOpen ? [`nobody cancelled ${orderId}`] : []),
      ...early.map(() => `${orderId} was refused as cancelled before it was cancelled`),
    ];
  });
}

/**
 * The contradictions of a history to the rule that exactly an owner's limit is admitted per minute: more
 * admitted requests than that, or a rejection before the limit was reached.
 *
 * @param limits the largest limit that each owner has had
 */
export function limitContradictions(
  exchanges: readonly Exchange[],
  limits: ReadonlyMap<string, number>,
): string[] {
  const counted = exchanges.filter((each) => headerOf(each, 'x-ratelimit-limit') > 0);
  const windows = Map.groupBy(
    counted.filter((each) => codeOf(each) !== 'api_key_banned'),
    (each) => `${each.ownerId} ${headerOf(each, 'x-ratelimit-reset')}`,
  );
  return [...windows].flatMap(([window, asked]) => {
    const limit = limits.get(window.split(' ')[0]!)!;
    const refused = asked.filter(({ answer }) => answer.status === 429);
    const admitted = asked.length - refused.length;
    const isFull = asked.some((each) => headerOf(each, 'x-ratelimit-remaining') === 0);
    return [
      ...(admitted > limit ? [`${window}: ${admitted} of ${limit} were admitted`] : []),
      ...(refused.length > 0 && !isFull ? [`${window}: refused before the limit`] : []),
      ...(refused.length > 0 && admitted < smallest(asked)
        ? [`${window}: refused after ${admitted}`]
        : []),
    ];
  });
}

/** The smallest limit in the answers. */
function smallest(asked: readonly Exchange[]): number {
  return Math.min(...asked.map((each) => headerOf(each, 'x-ratelimit-limit')));
}
