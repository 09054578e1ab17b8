import { create, element, numbers } from './elements.ts';

const titles: Readonly<Record<string, string>> = { minute: 'This minute', day: 'Today' };

/** Shows a key's remaining requests, and when a rejected key is served again, which a banned key's limits do not say. */
export function showAllowance(headers = new Headers(), isBanned = false): void {
  const views = isBanned ? [] : meters(headers);
  const retryAfter = Number(headers.get('Retry-After'));
  if (retryAfter > 0) {
    const time = timeIn(retryAfter).slice(0, 8);
    views.push(create('p', `Requests are accepted again at ${time} UTC.`));
  }
  const unknown = 'The limits of a valid key are shown after its first request.';
  element('requestsLeft').replaceChildren(...(views.length > 0 ? views : [create('p', unknown)]));
}

/** A meter for each window of a key; none if the answer is not about a key, as for 401. */
function meters(headers: Headers): HTMLElement[] {
  const policy = headers.get('RateLimit-Policy') ?? '';
  const left = headers.get('RateLimit') ?? '';
  return [...policy.matchAll(/"(\w+)";q=([1-9]\d*)/g)].map(([, name = '', quota]) => {
    const state = new RegExp(`"${name}";r=(\\d+);t=(\\d+)`).exec(left) ?? [];
    const [, remaining = 0, seconds = 0] = state.map(Number);
    const limit = Number(quota);
    const title = titles[name] ?? name;
    const text = `${numbers.format(remaining)} of ${numbers.format(limit)}`;
    // Below `low` the browser shows the value as a warning, because the optimum is above it.
    const values = { max: limit, low: limit / 5, optimum: limit, value: remaining };
    const bar = Object.assign(create('meter', text, { 'aria-label': title }), values);
    const view = create('p', `${title}: `);
    const end = timeIn(seconds).slice(0, 5);
    view.append(create('strong', text), ` left until ${end} UTC `, bar);
    return view;
  });
}

/** The time of day in UTC, as `hh:mm:ss.sss`. */
function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString().slice(11);
}
