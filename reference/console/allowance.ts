/** The remaining requests of a key in one window. */
export interface WindowAllowance {
  /** The window's name, such as `minute`. */
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window in Unix seconds. */
  readonly reset: number;
}

/**
 * Reads the remaining requests of a key from a response's headers; undefined if the response is not
 * about a key, as for 401 and unknown paths.
 */
export function allowanceOf(headers: Headers, nowMs: number): WindowAllowance[] | undefined {
  const limits = parametersOf(headers.get('RateLimit-Policy'), 'q');
  const remaining = parametersOf(headers.get('RateLimit'), 'r');
  const seconds = parametersOf(headers.get('RateLimit'), 't');
  const windows = [...limits].map(([name, limit]) => ({
    name,
    limit,
    remaining: remaining.get(name) ?? 0,
    reset: nowMs / 1_000 + (seconds.get(name) ?? 0),
  }));
  return windows.some(({ limit }) => limit > 0) ? windows : undefined;
}

export type WindowState = 'ample' | 'low' | 'spent';

export function windowState({ limit, remaining }: WindowAllowance): WindowState {
  if (remaining === 0) return 'spent';
  return remaining * 5 <= limit ? 'low' : 'ample';
}

/** Formats seconds like `in 23 s`, `in 4 min` or `in 7 h`. */
export function timeUntil(seconds: number): string {
  if (seconds <= 0) return 'now';
  if (seconds < 120) return `in ${Math.ceil(seconds)} s`;
  if (seconds < 7_200) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3_600)} h`;
}

/** A parameter by window, from a list such as `"minute";q=60;w=60, "day";q=1000;w=86400`. */
function parametersOf(list: string | null, parameter: string): Map<string, number> {
  const member = new RegExp(`"(\\w+)"[^,]*;${parameter}=(\\d+)`, 'g');
  return new Map(
    [...(list ?? '').matchAll(member)].map(([, name, value]) => [name!, Number(value)]),
  );
}
