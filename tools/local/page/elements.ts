/** Formats counts. */
export const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Finds the page's element with this id. */
export function element<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Shows a text, which is never interpreted as markup, in the element with this id. */
export function show(id: string, text: string): void {
  element(id).textContent = text;
}
