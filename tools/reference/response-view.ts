import type { ContractResponse } from './contract.ts';
import { bodyOf, examplesOf } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';
import { typeOf } from './schema-view.ts';

/** A response that can be unfolded: status, error codes, headers, schema and examples. */
export function responseView(status: string, response: ContractResponse): Markup {
  const isSuccess = Number(status) < 400;
  const codes = errorCodes(response).map((code) => html`<code>${code}</code> `);
  const advice = errorCodes(response).map(
    (code) => html`<a href="#error-${code}"><code>${code}</code></a> `,
  );
  return html`<details${isSuccess ? html` open` : undefined}>
<summary>${statusBadge(status)} ${isSuccess ? response.description : codes}</summary>
${isSuccess ? undefined : html`${paragraphs(response.description)}<p><strong>What to do</strong> ${advice}</p>`}
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

function errorCodes(response: ContractResponse): string[] {
  const codes = examplesOf(response).map(({ value }) => (value as { readonly code: string }).code);
  return [...new Set(codes)];
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
