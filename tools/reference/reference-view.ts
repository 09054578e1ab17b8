import { adviceByCode } from './client-guide.ts';
import type { Contract } from './contract.ts';
import { type ListedError, listErrors, listOperations } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { operationView } from './operation-view.ts';
import { headings, paragraphs, selfLink } from './prose.ts';
import { statusBadge } from './response-view.ts';
import { constraints, schemaView, typeOf } from './schema-view.ts';
import { table } from './table.ts';

interface Target {
  readonly id: string;
  readonly title: string;
}

interface Section extends Target {
  readonly content: Markup;
  /** The parts of the section that the navigation leads to. */
  readonly parts?: readonly Target[];
}

/** The contract as sections of a page, and the links to them and to the console. */
export function referenceView(
  contract: Contract,
  baseUrl: string,
  orderId: string | undefined,
): { readonly navigation: Markup; readonly content: Markup } {
  const { summary, description } = contract.info;
  const { headers, schemas } = contract.components;
  const operations = listOperations(contract);
  const views = operations.map((operation) => operationView(operation, baseUrl, orderId));
  const sections: Section[] = [
    {
      id: 'guide',
      title: 'Guide',
      content: html`<div class="guide"><p>${summary}</p>${paragraphs(description)}</div>`,
      parts: headings(description),
    },
    {
      id: 'operations',
      title: 'Operations',
      content: html`<p>The samples take the API key from the environment variable
<code>STORE_ORDERS_KEY</code>. The <a href="#try">console</a> sends the same requests.</p>${views}`,
      parts: operations.map(({ operationId, summary }) => ({ id: operationId, title: summary })),
    },
    {
      id: 'errors',
      title: 'Error codes',
      content: html`<p>The body of every error is an <a href="#schema-Error">Error</a>.
<a href="clients.md">clients.md</a> says how to back off.</p>${errorTable(listErrors(contract))}`,
    },
    { id: 'headers', title: 'Headers', content: headerTable(headers) },
    {
      id: 'schemas',
      title: 'Schemas',
      content: html`${Object.entries(schemas).map(schemaView)}`,
      parts: Object.keys(schemas).map((name) => ({ id: `schema-${name}`, title: name })),
    },
  ];
  return {
    navigation: html`<ul>${[{ id: 'try', title: 'Try it' }, ...sections].map(link)}</ul>`,
    content: html`${sections.map(sectionView)}`,
  };
}

function link({ id, title, parts = [] }: Omit<Section, 'content'>): Markup {
  const inner: Markup | undefined =
    parts.length > 0 ? html`<ul>${parts.map(link)}</ul>` : undefined;
  return html`<li><a href="#${id}">${title}</a>${inner}</li>
`;
}

function sectionView({ id, title, content }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${selfLink(id, title)}</h2>
${content}
</section>
`;
}

function errorTable(errors: readonly ListedError[]): Markup {
  const titles = ['Code', 'Status', 'When', 'What to do', 'Operations'];
  const advice = adviceByCode();
  const rows = errors.map(({ status, code, summary, message, operationIds }) => {
    const links = operationIds.map((id) => html`<a href="#${id}">${id}</a> `);
    const operations = links.length > 0 ? html`${links}` : 'any request';
    const when = html`${summary}<p class="hint">${message}</p>`;
    const whatToDo = paragraphs(advice.get(code) ?? '');
    return [code, statusBadge(status), when, whatToDo, operations] as const;
  });
  return table(titles, rows, 'error');
}

function headerTable(headers: Contract['components']['headers']): Markup {
  const titles = ['Header', 'Type', 'Description', 'Example'];
  const rows = Object.entries(headers).map(([name, { description, schema, example }]) => {
    const explanation = html`${paragraphs(description)}${constraints(schema)}`;
    const shown = example === undefined ? undefined : html`<code>${String(example)}</code>`;
    return [name, typeOf(schema), explanation, shown] as const;
  });
  return table(titles, rows, 'header');
}
