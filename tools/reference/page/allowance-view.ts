import { allowanceOf, type WindowAllowance } from './allowance.ts';
import { create, element, numbers } from './elements.ts';

const titles: Readonly<Record<string, string>> = { minute: 'This minute', day: 'Today (UTC)' };

/**
 * Shows the usage of a key's limits, and the time when a rejected key is served again.
 *
 * @param headers those of an answer; undefined before the first one
 */
export function showAllowance(headers: Headers | undefined): void {
  const windows = headers && allowanceOf(headers);
  const unknown = create('p', 'Shown after the first request.', { class: 'hint' });
  element('windows').replaceChildren(...(windows?.map(meter) ?? [unknown]));
  const retryAfter = Number(headers?.get('Retry-After') ?? 0);
  element('refusal').textContent = retryAfter > 0 ? `Served again at ${timeIn(retryAfter)}.` : '';
}

function meter({ name, limit, remaining, seconds }: WindowAllowance): HTMLElement {
  const title = titles[name] ?? name;
  const left = `${numbers.format(remaining)} of ${numbers.format(limit)}`;
  const head = create('p', '', { class: 'window-head' });
  head.append(create('span', title), create('strong', left, { id: `left-${name}` }));
  // Below `low` the browser shows the value as a warning, because the optimum is above it.
  const values = { max: limit, low: limit / 5, optimum: limit, value: remaining };
  const bar = Object.assign(create('meter', left, { 'aria-label': title }), values);
  const view = create('div', '', { class: 'window' });
  const again = `All ${numbers.format(limit)} again at ${minuteIn(seconds)}`;
  view.append(head, bar, create('p', again, { class: 'hint' }));
  return view;
}

/** The nearest minute, with which a window ends, however long the answer was under way. */
function minuteIn(seconds: number): string {
  const end = Math.round((Date.now() / 1_000 + seconds) / 60) * 60_000;
  return new Date(end).toLocaleTimeString([], { timeStyle: 'short' });
}

function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toLocaleTimeString();
}
