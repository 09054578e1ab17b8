import type { ApiError } from '../browser/api-client.ts';
import { create, element } from '../browser/elements.ts';
import type { DemoKey } from '../browser/page-settings.ts';
import { timeUntil, type WindowAllowance, windowState } from './allowance.ts';

const numbers = new Intl.NumberFormat('en');
const titles: Readonly<Record<string, string>> = { minute: 'Minute', day: 'Day (UTC)' };

interface Refusal {
  readonly isBan: boolean;
  /** The end of the window in Unix seconds. */
  readonly endsAt: number;
}

interface KeyState {
  readonly windows: readonly WindowAllowance[];
  readonly refusal?: Refusal;
}

/** Shows the usage of the chosen key's limits, and the time when a rejected key is served again. */
export class AllowanceView {
  readonly #states = new Map<string, KeyState>();
  #demoKey: DemoKey | undefined;

  constructor() {
    setInterval(() => this.#tick(), 1_000);
  }

  /** Shows another key, with the values of its last answer or the limits of its plan. */
  use(demoKey: DemoKey): void {
    this.#demoKey = demoKey;
    this.#render();
  }

  /** Updates the chosen key's values from an answer. */
  take(windows: readonly WindowAllowance[], error: ApiError | undefined, retryAfter: number): void {
    const isBan = error?.code === 'api_key_banned';
    const endsAt = Date.now() / 1_000 + retryAfter;
    const refusal = retryAfter > 0 ? { isBan, endsAt } : undefined;
    this.#states.set(this.#demoKey!.key, { windows, refusal });
    this.#render();
  }

  #render(): void {
    const { key, perMinute, perDay } = this.#demoKey!;
    const windows = this.#states.get(key)?.windows;
    const shown = windows?.map(meter) ?? [unknown('minute', perMinute), unknown('day', perDay)];
    element('windows').replaceChildren(...shown);
    this.#tick();
  }

  /** Updates the remaining time. It is not a live region, because it changes every second. */
  #tick(): void {
    const { windows = [], refusal } = this.#states.get(this.#demoKey?.key ?? '') ?? {};
    const now = Date.now() / 1_000;
    const waits = refusal !== undefined && refusal.endsAt > now;
    for (const { name, reset } of windows) {
      const anew = reset > now ? `Starts anew ${timeUntil(reset - now)}` : 'Has started anew';
      element(`reset-${name}`).textContent = waits && refusal.isBan ? 'Nothing while banned' : anew;
    }
    element('refusal').hidden = !waits;
    if (!waits) return;
    const reason = refusal.isBan ? 'This key is banned' : 'The limit is used up';
    element('refusal').textContent = `${reason}: served again ${timeUntil(refusal.endsAt - now)}.`;
  }
}

function meter(window: WindowAllowance): HTMLElement {
  const { name, limit, remaining } = window;
  const left = `${numbers.format(remaining)} of ${numbers.format(limit)} left`;
  const view = frame(name, left);
  view.dataset.state = windowState(window);
  const bar = create('div', '', {
    role: 'meter',
    class: 'meter',
    'aria-labelledby': `title-${name}`,
    'aria-valuemin': '0',
    'aria-valuemax': String(limit),
    'aria-valuenow': String(remaining),
    'aria-valuetext': left,
  });
  const fill = create('div');
  fill.style.width = `${(100 * remaining) / limit}%`;
  bar.append(fill);
  view.append(bar, create('p', '', { id: `reset-${name}`, class: 'hint' }));
  return view;
}

/** The meter of a window before the first answer for the key. */
function unknown(name: string, limit: number): HTMLElement {
  const view = frame(name, numbers.format(limit));
  const bar = create('div', '', { class: 'meter', 'aria-hidden': 'true' });
  view.append(bar, create('p', 'Shown after the first request', { class: 'hint' }));
  return view;
}

function frame(name: string, text: string): HTMLElement {
  const view = create('div', '', { class: 'window', id: `window-${name}` });
  const head = create('p', '', { class: 'window-head' });
  head.append(
    create('span', titles[name] ?? name, { id: `title-${name}` }),
    create('strong', text, { id: `left-${name}` }),
  );
  view.append(head);
  return view;
}
