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
  const policy = headers.get('RateLimit-Policy') ?? '';
  const left = headers.get('RateLimit') ?? '';
  const windows = [...policy.matchAll(/"(\w+)";q=(\d+)/g)].map(([, name, limit]) => {
    const [, remaining, seconds] = new RegExp(`"${name}";r=(\\d+);t=(\\d+)`).exec(left) ?? [];
    return {
      name: name!,
      limit: Number(limit),
      remaining: Number(remaining ?? 0),
      seconds: Number(seconds ?? 0),
    };
  });
  return windows.some(({ limit }) => limit > 0) ? windows : undefined;
}
