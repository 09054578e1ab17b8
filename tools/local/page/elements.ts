/** Formats counts. */
export const numbers = new Intl.NumberFormat('en');

/** The page's element with this id. */
export function element<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Creates an element with a text, which is never interpreted as markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  created.textContent = text;
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  return created;
}
