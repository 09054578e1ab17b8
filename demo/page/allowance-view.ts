import { type Allowance, allowanceState, timeUntil } from './allowance.ts';
import { element } from './elements.ts';

const numbers = new Intl.NumberFormat('en');

/** The large number: what the picked key has left. */
export class AllowanceView {
  readonly #panel = element('allowance');
  readonly #brief = element('brief');
  readonly #remaining = element('remaining');
  readonly #label = element('remaining-label');
  readonly #fill = element('bar-fill');
  readonly #reset = element('reset');
  #allowance: Allowance | undefined;

  constructor() {
    setInterval(() => this.#showReset(), 1_000);
  }

  show(allowance: Allowance): void {
    this.#allowance = allowance;
    const { limit, remaining } = allowance;
    this.#panel.dataset.state = allowanceState(allowance);
    this.#brief.dataset.state = allowanceState(allowance);
    this.#brief.textContent = `${numbers.format(remaining)} of ${numbers.format(limit)} left`;
    this.#remaining.textContent = numbers.format(remaining);
    this.#label.textContent = `of ${numbers.format(limit)} requests remaining`;
    this.#fill.style.width = `${(100 * remaining) / limit}%`;
    this.#showReset();
  }

  /** Another key: nothing is known of it until it was used. */
  clear(): void {
    this.#allowance = undefined;
    this.#panel.dataset.state = 'unknown';
    this.#brief.textContent = '';
    this.#remaining.textContent = '–';
    this.#label.textContent = 'requests remaining';
    this.#fill.style.width = '0';
    this.#reset.textContent = 'Press “List orders” to see.';
  }

  #showReset(): void {
    if (this.#allowance === undefined) return;
    const { reset, retryAfter } = this.#allowance;
    const seconds = reset - Date.now() / 1_000;
    const verb = retryAfter === undefined ? 'Resets' : 'Limit reached: served again';
    this.#reset.textContent =
      seconds > 0 ? `${verb} ${timeUntil(seconds)}` : 'The limit was reset.';
  }
}
