import type { SettledOrders } from './settled-orders.ts';

export interface OfferElements {
  readonly field: HTMLInputElement;
  readonly button: HTMLButtonElement;
  readonly hint: HTMLElement;
}

/** A field for an order's id with a cancel button, which is disabled for a settled order. */
export class CancellationOffer {
  readonly #elements: OfferElements;
  readonly #settled: SettledOrders;

  constructor(elements: OfferElements, settled: SettledOrders) {
    this.#elements = elements;
    this.#settled = settled;
    elements.field.addEventListener('input', () => this.update());
    this.update();
  }

  get orderId(): string {
    return this.#elements.field.value.trim();
  }

  update(): void {
    const { field, button, hint } = this.#elements;
    const outcome = this.#settled.of(this.orderId);
    // A disabled button keeps the focus but ignores the keyboard, so the focus moves to the field.
    if (outcome !== undefined && document.activeElement === button) field.focus();
    button.disabled = outcome !== undefined;
    hint.textContent = outcome === undefined ? '' : `Order ${this.orderId} is ${outcome}.`;
  }
}
