import type { ContractResponse } from './contract.ts';
import { bodyOf, examplesOf } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';
import { typeOf } from './schema-view.ts';

/** A response that can be unfolded: status, error codes, headers, schema and examples. */
export function responseView(status: string, response: ContractResponse): Markup {
  const isSuccess = Number(status) < 400;
  return html`<details>
<summary>${statusBadge(status)} ${isSuccess ? response.description : errorCodes(response)}</summary>
${isSuccess ? undefined : paragraphs(response.description)}
${bodyView(response)}
<p><strong>Headers</strong> ${Object.keys(response.headers ?? {}).map(headerLink)}</p>
</details>`;
}

/** A status with the colour of its class. */
export function statusBadge(status: string | number): Markup {
  const kind = Number(status) < 400 ? 'good' : 'bad';
  return html`<span class="badge" data-kind="${kind}">${status}</span>`;
}

/** A text of a program or a message, with its title. */
export function codeFigure(title: string, code: string, button?: Markup): Markup {
  return html`<figure>${button}<figcaption>${title}</figcaption><pre><code>${code}</code></pre></figure>`;
}

function errorCodes(response: ContractResponse): Markup {
  const codes = examplesOf(response).map(({ value }) => (value as { readonly code: string }).code);
  return html`${[...new Set(codes)].map((code) => html`<code>${code}</code> `)}`;
}

function bodyView(response: ContractResponse): Markup | undefined {
  const body = bodyOf(response);
  if (body === undefined) return undefined;
  const figures = examplesOf(response).map(({ summary, value }) =>
    codeFigure(summary, JSON.stringify(value, null, 2)),
  );
  return html`<p><strong>Body</strong> ${typeOf(body.schema)}, <code>application/json</code></p>
${figures}`;
}

function headerLink(name: string): Markup {
  return html`<a href="#header-${name.toLowerCase()}"><code>${name}</code></a> `;
}
