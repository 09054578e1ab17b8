import {
  type Contract,
  type ContractResponse,
  type Example,
  type Reference,
  resolve,
} from './contract.ts';
import { jsonOf } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';
import { propertyTable, typeOf } from './schema-view.ts';

/** A response that can be unfolded: status, error codes, headers, schema and examples. */
export function responseView(
  contract: Contract,
  status: string,
  part: ContractResponse | Reference,
): Markup {
  const response = resolve<ContractResponse>(contract, part);
  return html`<details class="response">
<summary>${statusBadge(status)}<span>${titleOf(response, status)}</span></summary>
${isSaidByTitle(response, status) ? undefined : paragraphs(response.description)}
${bodyView(contract, response)}
<p class="headers"><strong>Headers</strong> ${Object.entries(response.headers ?? {}).map(headerLink)}</p>
</details>`;
}

/** A status with the colour of its class. */
export function statusBadge(status: string | number): Markup {
  const kind = Number(status) < 400 ? 'good' : 'bad';
  return html`<span class="badge" data-kind="${kind}">${status}</span>`;
}

function isSaidByTitle({ description }: ContractResponse, status: string): boolean {
  return Number(status) < 400 && !description.includes('. ');
}

/** The title of a response: its error codes, or the first sentence of its description. */
function titleOf({ content, description }: ContractResponse, status: string): Markup {
  if (Number(status) < 400) return html`${description.split('. ')[0]}`;
  const codes = Object.values(jsonOf(content).examples).map(
    ({ value }) => (value as { readonly code: string }).code,
  );
  return html`${[...new Set(codes)].map((code) => html`<code>${code}</code> `)}`;
}

function bodyView(contract: Contract, { content }: ContractResponse): Markup | undefined {
  if (content === undefined) return undefined;
  const { schema, examples } = jsonOf(content);
  const isComposed = 'allOf' in schema;
  return html`<p><strong>Body</strong> ${typeOf(schema)}, <code>application/json</code></p>
${isComposed ? propertyTable(contract, schema) : undefined}
${Object.values(examples).map(exampleView)}`;
}

function exampleView({ summary, value }: Example): Markup {
  return html`<figure><figcaption>${summary}</figcaption><pre><code>${JSON.stringify(value, null, 2)}</code></pre></figure>`;
}

function headerLink([name]: [string, unknown]): Markup {
  return html`<a href="#header-${name.toLowerCase()}"><code>${name}</code></a> `;
}
