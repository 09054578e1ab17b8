import { type Contract, type Reference, referredName, resolve, type Schema } from './contract.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';

/** The type of a schema. A schema with a name is shown as a link to it. */
export function typeOf(schema: Schema | Reference): Markup {
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { type, format, items, allOf } = schema as Schema;
  if (allOf !== undefined) return typeOf(allOf[0]!);
  if (type === 'array' && items !== undefined) return html`array of ${typeOf(items)}`;
  return html`${type}${format && ` (${format})`}`;
}

/** A table of the properties of an object, including those of the schemas that it is composed of. */
export function propertyTable(contract: Contract, schema: Schema | Reference): Markup {
  const { properties, required } = merged(contract, schema);
  const rows = Object.entries(properties).map(
    ([name, property]) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td data-label="Type">${typeOf(property)}${required.includes(name) ? html` <em>required</em>` : undefined}</td>
<td data-label="Description">${description(property)}</td>
</tr>`,
  );
  return html`<table class="cards">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/** The constraints on a value besides its type; undefined if there are none. */
export function constraints(schema: Schema): Markup | undefined {
  if (schema.const !== undefined) return constraint(html`always ${code(schema.const)}`);
  const { minimum, maximum, pattern } = schema;
  const values = schema.enum?.map((value) => html`${code(value)} `);
  const parts = [
    ...(values === undefined ? [] : [html`one of ${values}`]),
    ...(minimum === undefined ? [] : [html`at least ${minimum} `]),
    ...(maximum === undefined ? [] : [html`at most ${maximum} `]),
    ...(pattern === undefined ? [] : [html`matches ${code(pattern)}`]),
  ];
  return parts.length === 0 ? undefined : constraint(html`${parts}`);
}

function constraint(text: Markup): Markup {
  return html`<p class="constraints">${text}</p>`;
}

function code(value: unknown): Markup {
  return html`<code>${String(value)}</code>`;
}

function description(schema: Schema): Markup {
  return html`${schema.description ? paragraphs(schema.description) : undefined}${constraints(schema)}`;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** Merges the parts of a composition. For the same property, the later part has precedence. */
function merged(contract: Contract, part: Schema | Reference): ObjectSchema {
  const { allOf = [], properties = {}, required = [] } = resolve<Schema>(contract, part);
  const all = [...allOf.map((one) => merged(contract, one)), { properties, required }];
  const names = new Set(all.flatMap((one) => Object.keys(one.properties)));
  const combined = [...names].map((name) => [
    name,
    Object.assign({}, ...all.map((one) => one.properties[name])),
  ]);
  return {
    properties: Object.fromEntries(combined),
    required: all.flatMap((one) => one.required),
  };
}
