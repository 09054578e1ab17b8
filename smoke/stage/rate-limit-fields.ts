import type { Answer } from './http-client.ts';

const policyForm = /^"minute";q=(\d+);w=60, "day";q=(\d+);w=86400$/;
const limitForm = /^"minute";r=(\d+);t=(\d+), "day";r=(\d+);t=(\d+)$/;

/** Allows for rounding to seconds, and for the time between the limiter's clock and the `Date`. */
const toleranceSeconds = 5;

type Headers = Pick<Answer, 'headers'>;

/**
 * The differences between `RateLimit-Policy` and `RateLimit`, which describe both windows, and the
 * three `X-RateLimit-` headers of the same answer, which describe one of them.
 */
export function rateLimitFieldDifferences({ headers }: Headers, dateSeconds: number): string[] {
  const value = (name: string) => headers.get(name)?.join() ?? 'absent';
  const [policy, limit] = [value('ratelimit-policy'), value('ratelimit')];
  const quotas = policyForm.exec(policy)?.slice(1).map(Number);
  const left = limitForm.exec(limit)?.slice(1).map(Number);
  if (!quotas) return [`ratelimit-policy is ${policy}`];
  if (!left) return [`ratelimit is ${limit}`];
  const isDescribed = quotas.some((quota, index) => {
    const [remaining, seconds] = left.slice(2 * index);
    return (
      value('x-ratelimit-limit') === String(quota) &&
      value('x-ratelimit-remaining') === String(remaining) &&
      isSameReset(Number(value('x-ratelimit-reset')), seconds!, dateSeconds)
    );
  });
  return isDescribed
    ? []
    : [`ratelimit is ${limit}, the x-ratelimit headers describe no such window`];
}

/** Whether a reset time matches a number of seconds. A reset of 0 means that there is no window. */
function isSameReset(reset: number, seconds: number, dateSeconds: number): boolean {
  if (reset === 0) return seconds === 0;
  return Math.abs(dateSeconds + seconds - reset) <= toleranceSeconds;
}
