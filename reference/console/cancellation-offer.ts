import type { SettledOrders } from './settled-orders.ts';

export interface OfferElements {
  readonly field: HTMLInputElement;
  readonly button: HTMLButtonElement;
  readonly hint: HTMLElement;
}

/** A field for an order's id with a button: nobody is offered to cancel what is settled. */
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
    // A button that becomes disabled would keep the focus and take no key any more.
    if (outcome !== undefined && document.activeElement === button) field.focus();
    button.disabled = outcome !== undefined;
    hint.textContent = outcome === undefined ? '' : `Order ${this.orderId} is ${outcome}.`;
  }
}
