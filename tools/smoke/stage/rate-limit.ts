import type { Answer } from './http-client.ts';

type Headers = Pick<Answer, 'headers'>;

/** The three headers as numbers; NaN for a header that is missing or not a number. */
export function rateLimitOf(answer: Headers): { limit: number; remaining: number; reset: number } {
  const value = (name: string) => Number(headerOf(answer, `x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}

/** The seconds until the minute's window resets, from `RateLimit`; NaN if this header is missing or malformed. */
export function minuteSecondsOf(answer: Headers): number {
  return Number(numbersOf(answer, 'ratelimit')[1]);
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
export function rateLimitDifferences(answer: Headers): string[] {
  const [minuteLimit, , dayLimit] = numbersOf(answer, 'ratelimit-policy');
  const [minuteLeft, , dayLeft] = numbersOf(answer, 'ratelimit');
  const { limit, remaining } = rateLimitOf(answer);
  if (dayLimit === undefined || dayLeft === undefined || Number.isNaN(limit + remaining)) return [];
  const isDay = dayLeft < minuteLeft!;
  if (limit === (isDay ? dayLimit : minuteLimit) && remaining === (isDay ? dayLeft : minuteLeft)) {
    return [];
  }
  return [
    `the x-ratelimit headers ${limit}, ${remaining} describe no window of ratelimit-policy ` +
      `${headerOf(answer, 'ratelimit-policy')} and ratelimit ${headerOf(answer, 'ratelimit')}`,
  ];
}

function numbersOf(answer: Headers, name: string): number[] {
  return (headerOf(answer, name) ?? '').match(/\d+/g)?.map(Number) ?? [];
}
