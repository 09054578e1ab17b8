import { codeSamples } from './code-samples.ts';
import type { ContractParameter } from './contract.ts';
import type { ListedOperation } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs, selfLink } from './prose.ts';
import { responseView } from './response-view.ts';
import { constraints, requiredMark, typeOf } from './schema-view.ts';
import { table } from './table.ts';

/** The description of an operation, with samples. */
export function operationView(
  operation: ListedOperation,
  baseUrl: string,
  orderId: string | undefined,
): Markup {
  const { operationId, method, path, summary, marker, description } = operation;
  // A deprecated operation only answers 410, so there are no samples for it.
  const isServed = marker !== 'deprecated';
  return html`<article class="panel operation" id="${operationId}">
<div>
<h3>${selfLink(operationId, summary)} <span class="badge" data-kind="${marker}">${marker}</span></h3>
<p><span class="badge" data-kind="${method}">${method}</span> <code>${path}</code></p>
${paragraphs(description)}
${operation['x-sunset'] && html`<p>Sunset: ${operation['x-sunset']}.</p>`}
${parameterTable(operation.parameters ?? [])}
</div>
${isServed ? sampleTabs(operationId, codeSamples(operation, baseUrl, orderId)) : undefined}
<div>
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => responseView(status, response))}
</div>
</article>`;
}

/** Samples of which one at a time is unfolded. They look like tabs, and are found by searching the page. */
function sampleTabs(operationId: string, samples: Readonly<Record<string, string>>): Markup {
  const tabs = Object.entries(samples).map(([name, code], index) => {
    const open = index === 0 ? html` open` : undefined;
    return html`<details name="${operationId}-sample"${open}>
<summary>${name}</summary>
<figure><button type="button" class="quiet" data-copy aria-label="Copy the ${name} sample">Copy</button><pre><code>${code}</code></pre></figure>
</details>`;
  });
  return html`<div class="samples">${tabs}</div>`;
}

function parameterTable(parameters: readonly ContractParameter[]): Markup | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    ({ name, in: place, required = false, description, schema }) =>
      [
        name,
        html`${typeOf(schema)} in ${place}${requiredMark(required)}`,
        html`${paragraphs(description)}${constraints(schema)}`,
      ] as const,
  );
  return html`<h4>Parameters</h4>
${table(['Name', 'Type', 'Description'], rows)}`;
}
