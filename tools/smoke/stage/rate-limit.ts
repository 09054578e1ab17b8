import type { Answer } from './http-client.ts';

type Headers = Pick<Answer, 'headers'>;
type Timed = Pick<Answer, 'headers' | 'durationMs'>;

/** Allows for rounding to seconds, and for clocks that differ. */
const toleranceSeconds = 2;

/** The three headers as numbers; NaN for a header that is missing or not a number. */
export function rateLimitOf(answer: Headers): { limit: number; remaining: number; reset: number } {
  const value = (name: string) => Number(headerOf(answer, `x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}

/** The seconds until the minute's window resets, from `RateLimit`; NaN if this header is missing or malformed. */
export function minuteSecondsOf(answer: Headers): number {
  return Number(numbersOf(answer, 'ratelimit')[1]);
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
 * Compares `RateLimit-Policy` and `RateLimit`, which describe both windows, with the `X-RateLimit-` headers, which
 * describe the window with the fewest requests left. Missing or malformed headers are left to the comparison with the
 * contract.
 */
export function rateLimitDifferences(answer: Timed): string[] {
  const [minuteLimit, , dayLimit] = numbersOf(answer, 'ratelimit-policy');
  const [minuteLeft, minuteSeconds, dayLeft, daySeconds] = numbersOf(answer, 'ratelimit');
  if (dayLimit === undefined || daySeconds === undefined) return [];
  const { limit, remaining, reset } = rateLimitOf(answer);
  if (Number.isNaN(limit + remaining + reset)) return [];
  const isDay = dayLeft! < minuteLeft!;
  const isSameWindow =
    limit === (isDay ? dayLimit : minuteLimit) && remaining === (isDay ? dayLeft : minuteLeft);
  if (isSameWindow && isResetIn(isDay ? daySeconds : minuteSeconds!, reset, answer)) return [];
  return [
    `the x-ratelimit headers ${limit}, ${remaining}, ${reset} describe no window of ratelimit-policy ` +
      `${headerOf(answer, 'ratelimit-policy')} and ratelimit ${headerOf(answer, 'ratelimit')}`,
  ];
}

/** Whether a window's reset can be this many seconds after the limiter read its clock. */
function isResetIn(seconds: number, reset: number, answer: Timed): boolean {
  // A reset of 0 means that there is no window.
  if (reset === 0) return seconds === 0;
  // The limiter reads its clock during the call, and the server writes the `Date` at its end.
  const ageSeconds = serverSeconds(answer) - (reset - seconds);
  const longestAgeSeconds = answer.durationMs / 1_000;
  return ageSeconds >= -toleranceSeconds && ageSeconds <= longestAgeSeconds + toleranceSeconds;
}

function numbersOf(answer: Headers, name: string): number[] {
  return (headerOf(answer, name) ?? '').match(/\d+/g)?.map(Number) ?? [];
}
