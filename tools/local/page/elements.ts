/** Formats counts. */
export const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** The page's element with this id. */
export function element<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Creates an element. Its `textContent` is never interpreted as markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), properties);
}
