import type { Answer } from './http-client.ts';

type Headers = Pick<Answer, 'headers'>;

const policyForm = /^"minute";q=(\d+);w=60, "day";q=(\d+);w=86400$/;
const limitForm = /^"minute";r=(\d+);t=(\d+), "day";r=(\d+);t=(\d+)$/;

/** Allows for rounding to seconds, and for clocks that differ. */
const toleranceSeconds = 2;

/** The rate-limit headers as numbers; NaN for one that is missing or not a number. */
export function rateLimitOf(answer: Headers): { limit: number; remaining: number; reset: number } {
  const value = (name: string) => Number(headerOf(answer, `x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}

/** The seconds until the minute's window resets, by `RateLimit`; NaN if that is missing or malformed. */
export function minuteSecondsOf(answer: Headers): number {
  const [, , seconds] = limitForm.exec(headerOf(answer, 'ratelimit') ?? '') ?? [];
  return Number(seconds);
}

/** The server's time in Unix seconds, so that a wrong clock of this machine has no effect. */
export function serverSeconds(answer: Headers): number {
  const date = Date.parse(headerOf(answer, 'date') ?? '');
  return Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000);
}

/** The value of a header, all values if it was sent several times; undefined if it was not sent. */
export function headerOf({ headers }: Headers, name: string): string | undefined {
  return headers.get(name)?.join();
}

/**
 * The difference between `RateLimit-Policy` and `RateLimit`, which describe both windows, and the
 * three `X-RateLimit-` headers of the same answer, which describe the window with the least left.
 * It ignores a missing or malformed header, which `Contract` reports.
 */
export function rateLimitDifferences(answer: Headers & Pick<Answer, 'durationMs'>): string[] {
  const policy = headerOf(answer, 'ratelimit-policy') ?? '';
  const rateLimit = headerOf(answer, 'ratelimit') ?? '';
  const quotas = policyForm.exec(policy)?.slice(1).map(Number);
  const states = limitForm.exec(rateLimit)?.slice(1).map(Number);
  const { limit, remaining, reset } = rateLimitOf(answer);
  if (!quotas || !states || Number.isNaN(limit + remaining + reset)) return [];
  const [minuteLeft, minuteSeconds, dayLeft, daySeconds] = states as [
    number,
    number,
    number,
    number,
  ];
  const [quota, left, seconds] =
    dayLeft < minuteLeft
      ? [quotas[1], dayLeft, daySeconds]
      : [quotas[0], minuteLeft, minuteSeconds];
  if (limit === quota && remaining === left && isResetIn(seconds, reset, answer)) return [];
  return [
    `the x-ratelimit headers ${limit}, ${remaining}, ${reset} describe no window of ` +
      `ratelimit-policy ${policy} and ratelimit ${rateLimit}`,
  ];
}

/** Whether a time at which a window resets can be so many seconds after the limiter read its clock. */
function isResetIn(
  seconds: number,
  reset: number,
  answer: Headers & Pick<Answer, 'durationMs'>,
): boolean {
  // A reset of 0 means that there is no window.
  if (reset === 0) return seconds === 0;
  // The limiter reads its clock during the call, and the server writes the `Date` at its end.
  const ageSeconds = serverSeconds(answer) - (reset - seconds);
  const longestAgeSeconds = answer.durationMs / 1_000;
  return ageSeconds >= -toleranceSeconds && ageSeconds <= longestAgeSeconds + toleranceSeconds;
}
