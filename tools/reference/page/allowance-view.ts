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
  element('refusal').textContent =
    retryAfter > 0 ? `Served again at ${timeIn(retryAfter, 'medium')}.` : '';
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
  const again = `All ${numbers.format(limit)} again at ${timeIn(seconds, 'short')}`;
  view.append(head, bar, create('p', again, { class: 'hint' }));
  return view;
}

function timeIn(seconds: number, timeStyle: 'short' | 'medium'): string {
  return new Date(Date.now() + seconds * 1_000).toLocaleTimeString([], { timeStyle });
}
