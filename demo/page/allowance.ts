/** Where a key stands, out of a response's headers. Times are Unix seconds. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  /** Seconds to wait, on a 429. */
  readonly retryAfter?: number;
}

/** Undefined where no key was recognised: 401 and unknown paths say nothing about one. */
export function allowanceOf(headers: Headers): Allowance | undefined {
  const value = (name: string) => Number(headers.get(`X-RateLimit-${name}`) ?? 0);
  if (value('Limit') === 0) return undefined;
  const retryAfter = headers.get('Retry-After');
  return {
    limit: value('Limit'),
    remaining: value('Remaining'),
    reset: value('Reset'),
    ...(retryAfter === null ? {} : { retryAfter: Number(retryAfter) }),
  };
}

export type AllowanceState = 'ample' | 'low' | 'spent';

export function allowanceState({ limit, remaining }: Allowance): AllowanceState {
  if (remaining === 0) return 'spent';
  return remaining * 5 <= limit ? 'low' : 'ample';
}

/** `in 23 s`, `in 4 min`, `in 7 h`. */
export function timeUntil(seconds: number): string {
  if (seconds <= 0) return 'now';
  if (seconds < 120) return `in ${Math.ceil(seconds)} s`;
  if (seconds < 7_200) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3_600)} h`;
}
