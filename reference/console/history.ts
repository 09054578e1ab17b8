import { create, element } from '../browser/elements.ts';

const kept = 20;

/** The list of answers. The newest one is announced to screen readers. */
export class History {
  readonly #newest = element('status');
  readonly #earlier = element('earlier');
  readonly #list = element('earlier-list');

  add(answer: HTMLElement): void {
    const previous = this.#newest.firstElementChild;
    if (previous !== null) {
      const item = create('li');
      item.append(previous);
      this.#list.prepend(item);
      this.#list.children[kept]?.remove();
      this.#earlier.hidden = false;
    }
    this.#newest.replaceChildren(answer);
  }
}
