import type { Contract, ContractHeader, Schema } from './contract.ts';
import { type ListedError, listErrors, listOperations } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { type OperationViewOptions, operationView } from './operation-view.ts';
import { headings, paragraphs } from './prose.ts';
import { statusBadge } from './response-view.ts';
import { constraints, propertyTable, typeOf } from './schema-view.ts';

/** The contract as sections of a page, in the order of `navigation`. */
export function referenceView(options: OperationViewOptions): Markup {
  const { contract, examples } = options;
  const { headers, schemas } = contract.components;
  const operations = listOperations(contract, examples);
  return html`${section('guide', 'Guide', html`<p>${contract.info.summary}</p>${paragraphs(contract.info.description)}`)}
${section(
  'operations',
  'Operations',
  html`<p>The samples take the API key from the environment variable <code>STORE_ORDERS_KEY</code>.</p>
${operations.map((operation) => operationView(operation, options))}`,
)}
${section('errors', 'Error codes', errorTable(listErrors(contract)))}
${section('headers', 'Headers', headerTable(Object.entries(headers)))}
${section('schemas', 'Schemas', html`${Object.entries(schemas).map((entry) => schemaView(contract, entry))}`)}`;
}

/** Links to the sections, and to the parts of the longer ones. */
export function navigation(contract: Contract): Markup {
  const operations = listOperations(contract).map(({ operationId, summary }) => ({
    id: operationId,
    title: summary,
  }));
  return html`<ul>
${link({ id: 'try', title: 'Try it' })}
${link({ id: 'guide', title: 'Guide' }, headings(contract.info.description))}
${link({ id: 'operations', title: 'Operations' }, operations)}
${link({ id: 'errors', title: 'Error codes' })}
${link({ id: 'headers', title: 'Headers' })}
${link({ id: 'schemas', title: 'Schemas' })}
</ul>`;
}

interface Target {
  readonly id: string;
  readonly title: string;
}

function link({ id, title }: Target, below: readonly Target[] = []): Markup {
  const inner = below.length > 0 ? html`<ul>${below.map((one) => link(one))}</ul>` : undefined;
  return html`<li><a href="#${id}">${title}</a>${inner}</li>`;
}

function section(id: string, title: string, content: Markup): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

function errorTable(errors: readonly ListedError[]): Markup {
  const rows = errors.map(
    ({ status, code, summary, message, operationIds }) => html`<tr id="error-${status}-${code}">
<th scope="row"><code>${code}</code></th>
<td data-label="Status">${statusBadge(status)}</td>
<td data-label="When">${summary}</td>
<td data-label="Message">${message}</td>
<td data-label="Operations">${operationIds.length > 0 ? operationIds.map((id) => html`<a href="#${id}">${id}</a> `) : 'any request'}</td>
</tr>`,
  );
  return html`<table class="cards">
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">When</th><th scope="col">Message, for example</th><th scope="col">Operations</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function headerTable(headers: readonly (readonly [string, ContractHeader])[]): Markup {
  const rows = headers.map(
    ([name, { description, schema, example }]) => html`<tr id="header-${name.toLowerCase()}">
<th scope="row"><code>${name}</code></th>
<td data-label="Type">${typeOf(schema)}</td>
<td data-label="Description">${paragraphs(description)}${constraints(schema)}</td>
<td data-label="Example"><code>${String(example)}</code></td>
</tr>`,
  );
  return html`<table class="cards">
<thead><tr><th scope="col">Header</th><th scope="col">Type</th><th scope="col">Description</th><th scope="col">Example</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function schemaView(contract: Contract, [name, schema]: [string, Schema]): Markup {
  return html`<article id="schema-${name}">
<h3>${name}</h3>
${paragraphs(schema.description ?? '')}
${propertyTable(contract, schema)}
</article>`;
}
