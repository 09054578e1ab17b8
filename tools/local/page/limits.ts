import { element, numbers, show } from './elements.ts';

const titles = { minute: 'This minute', day: 'Today (UTC)' };

/** Shows the limits that a response names. Without a response, or if it names none, they are unknown. */
export function showLimits(headers = new Headers()): void {
  element('limits').hidden = parameter(headers, 'RateLimit-Policy', 'minute', 'q') === 0;
  for (const name of ['minute', 'day'] as const) {
    const limit = parameter(headers, 'RateLimit-Policy', name, 'q');
    const value = parameter(headers, 'RateLimit', name, 'r');
    const seconds = parameter(headers, 'RateLimit', name, 't');
    const left = `${numbers.format(value)} of ${numbers.format(limit)} left`;
    show(`${name}Text`, `${titles[name]}: ${left}, resets in ${numbers.format(seconds)} seconds`);
    // The optimum is above `low`, so the browser shows a value below `low` as a warning.
    Object.assign(element(name), { max: limit, low: limit / 5, optimum: limit, value });
  }
}

/** A number of a structured header, such as 58 for `r` of `minute` in `"minute";r=58;t=24, "day";r=998;t=48144`. */
function parameter(headers: Headers, header: string, window: string, name: string): number {
  const found = new RegExp(`"${window}"[^,]*;${name}=(\\d+)`).exec(headers.get(header) ?? '');
  return Number(found?.[1] ?? 0);
}
