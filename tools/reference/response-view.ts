import type { ContractResponse } from './contract.ts';
import { bodyOf, examplesOf } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';
import { typeOf } from './schema-view.ts';

/** A response that can be unfolded: status, error codes, headers, schema and examples. */
export function responseView(status: string, response: ContractResponse): Markup {
  const isSuccess = Number(status) < 400;
  const headers = Object.keys(response.headers ?? {});
  const codes = isSuccess ? [] : errorCodes(response);
  return html`<details${isSuccess ? html` open` : undefined}>
<summary>${statusBadge(status)} ${isSuccess ? response.description : html`<code>${codes.join(' ')}</code>`}</summary>
${isSuccess ? undefined : html`${paragraphs(response.description)}<p><strong>What to do</strong> ${codes.map((code) => codeLink(`error-${code}`, code))}</p>`}
${bodyView(response)}
<p><strong>Headers</strong> ${headers.map((name) => codeLink(`header-${name.toLowerCase()}`, name))}</p>
</details>`;
}

/** A status with the colour of its class. */
export function statusBadge(status: string | number): Markup {
  const kind = Number(status) < 400 ? 'good' : 'bad';
  return html`<span class="badge" data-kind="${kind}">${status}</span>`;
}

function errorCodes(response: ContractResponse): string[] {
  const codes = examplesOf(response).map(({ value }) => (value as { readonly code: string }).code);
  return [...new Set(codes)];
}

function bodyView(response: ContractResponse): Markup | undefined {
  const body = bodyOf(response);
  if (body === undefined) return undefined;
  const figures = examplesOf(response).map(({ summary, value }) => {
    const text = JSON.stringify(value, null, 2);
    return html`<figure><figcaption>${summary}</figcaption><pre><code>${text}</code></pre></figure>`;
  });
  return html`<p><strong>Body</strong> ${typeOf(body.schema)}, <code>application/json</code></p>
${figures}`;
}

function codeLink(id: string, name: string): Markup {
  return html`<a href="#${id}"><code>${name}</code></a> `;
}
