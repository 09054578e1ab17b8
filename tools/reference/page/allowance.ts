/** The remaining requests of a key in one window. */
export interface WindowAllowance {
  /** The window's name, such as `minute`. */
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  /** The seconds until the end of the window. */
  readonly seconds: number;
}

/** Reads the windows; undefined if the answer is not about a key, as for 401 and unknown paths. */
export function allowanceOf(headers: Headers): WindowAllowance[] | undefined {
  const limits = parametersOf(headers.get('RateLimit-Policy'), 'q');
  const remaining = parametersOf(headers.get('RateLimit'), 'r');
  const seconds = parametersOf(headers.get('RateLimit'), 't');
  const windows = [...limits].map(([name, limit]) => ({
    name,
    limit,
    remaining: remaining.get(name) ?? 0,
    seconds: seconds.get(name) ?? 0,
  }));
  return windows.some(({ limit }) => limit > 0) ? windows : undefined;
}

/** A parameter by window, from a list such as `"minute";q=60;w=60, "day";q=1000;w=86400`. */
function parametersOf(list: string | null, parameter: string): Map<string, number> {
  const member = new RegExp(`"(\\w+)"[^,]*;${parameter}=(\\d+)`, 'g');
  return new Map(
    [...(list ?? '').matchAll(member)].map(([, name, value]) => [name!, Number(value)]),
  );
}
