import { element, numbers, show } from './elements.ts';

const titles = { minute: 'This minute: ', day: 'Today (UTC): ' };
const secondMs = 1_000;
let latest: { headers: Headers; isBanned: boolean; receivedAtMs: number } | undefined;

setInterval(countDown, secondMs);

/** Shows the limits that a response names, until their reset. Without a response, or if it names none, they are unknown. */
export function showLimits(headers = new Headers(), isBanned = false): void {
  const isKnown = parameter(headers, 'RateLimit-Policy', 'minute', 'q') > 0;
  latest = isKnown ? { headers, isBanned, receivedAtMs: Date.now() } : undefined;
  element('limits').hidden = !isKnown;
  countDown();
}

function countDown(): void {
  if (!latest) return;
  const { headers, isBanned, receivedAtMs } = latest;
  const elapsedSeconds = Math.floor((Date.now() - receivedAtMs) / secondMs);
  for (const name of ['minute', 'day'] as const) {
    const limit = parameter(headers, 'RateLimit-Policy', name, 'q');
    const seconds = parameter(headers, 'RateLimit', name, 't') - elapsedSeconds;
    const value = seconds > 0 ? parameter(headers, 'RateLimit', name, 'r') : limit;
    const ban = isBanned && name === 'minute' && seconds > 0 ? 'banned: ' : '';
    const end = seconds > 0 ? `, resets in ${duration(seconds)}` : '';
    const left = `${numbers.format(value)} of ${numbers.format(limit)} left`;
    show(`${name}Text`, `${titles[name]}${ban}${left}${end}`);
    // If the value is below `low`, the browser shows it as a warning, because the optimum is above `low`.
    Object.assign(element(name), { max: limit, low: limit / 5, optimum: limit, value });
  }
}

/** A number of a structured header, such as 58 for `r` of `minute` in `"minute";r=58;t=24, "day";r=998;t=48144`. */
function parameter(headers: Headers, header: string, window: string, name: string): number {
  const found = new RegExp(`"${window}"[^,]*;${name}=(\\d+)`).exec(headers.get(header) ?? '');
  return Number(found?.[1] ?? 0);
}

/** Such as `0:46` or `3:12:09`. */
function duration(seconds: number): string {
  const time = new Date(seconds * secondMs).toISOString().slice(11, 19);
  return time.replace(/^00:0?|^0/, '');
}
