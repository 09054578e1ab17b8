import { html, type Markup } from './html.ts';
import { selfLink } from './prose.ts';

type Cell = Markup | string | number | undefined;

/**
 * A table whose rows become cards in a narrow window. The first cell of a row is its name.
 *
 * @param idPrefix what the ids of the rows begin with. @default - the rows have no ids
 */
export function table(
  titles: readonly string[],
  rows: readonly (readonly [string, ...Cell[]])[],
  idPrefix?: string,
): Markup {
  const views = rows.map(([name, ...cells]) => {
    const id = idPrefix && `${idPrefix}-${name.toLowerCase()}`;
    const title = html`<code>${name}</code>`;
    return html`<tr${id && html` id="${id}"`}>
<th scope="row">${id ? selfLink(id, title) : title}</th>
${cells.map((cell, index) => html`<td data-label="${titles[index + 1]}">${cell}</td>`)}
</tr>`;
  });
  return html`<table class="cards">
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${views}</tbody>
</table>`;
}
