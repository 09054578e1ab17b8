import type { Schema } from './contract.ts';
import { html, type Markup } from './html.ts';
import { paragraphs, selfLink } from './prose.ts';
import { table } from './table.ts';

/** The type of a schema. A schema with a name is shown as a link to it. */
export function typeOf({ component, type, format, items, allOf }: Schema): Markup {
  if (component) return html`<a href="#schema-${component}">${component}</a>`;
  if (allOf) return typeOf(allOf[0]!);
  if (items) return html`array of ${typeOf(items)}`;
  return html`${type}${format && ` (${format})`}`;
}

/** A schema with a table of its properties. */
export function schemaView([name, schema]: readonly [string, Schema]): Markup {
  const { description = '', properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(
    ([property, details]) =>
      [
        property,
        html`${typeOf(details)}${requiredMark(required.includes(property))}`,
        html`${paragraphs(details.description ?? '')}${constraints(details)}`,
      ] as const,
  );
  return html`<article id="schema-${name}">
<h3>${selfLink(`schema-${name}`, name)}</h3>
${paragraphs(description)}
${table(['Field', 'Type', 'Description'], rows)}
</article>`;
}

export function requiredMark(isRequired: boolean): Markup | undefined {
  return isRequired ? html` <em>required</em>` : undefined;
}

/** The constraints on a value besides its type; undefined if there are none. */
export function constraints(schema: Schema): Markup | undefined {
  const constraints = [
    ['always', schema.const],
    ['one of', schema.enum?.join(', ')],
    ['at least', schema.minimum],
    ['at most', schema.maximum],
    ['matches', schema.pattern],
  ].filter(([, value]) => value !== undefined);
  if (constraints.length === 0) return undefined;
  const texts = constraints.map(([name, value]) => html`${name} <code>${value}</code> `);
  return html`<p class="hint">${texts}</p>`;
}
