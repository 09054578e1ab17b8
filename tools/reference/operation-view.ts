import { type CodeSample, codeSamples } from './code-samples.ts';
import type { Contract, ContractParameter } from './contract.ts';
import type { ListedOperation, ParameterExamples } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs } from './prose.ts';
import { responseView } from './response-view.ts';
import { constraints, typeOf } from './schema-view.ts';

export interface OperationViewOptions {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly examples: ParameterExamples;
}

/** The description of an operation, with samples. */
export function operationView(operation: ListedOperation, options: OperationViewOptions): Markup {
  const { operationId, method, path, summary, marker, details } = operation;
  const sunset = details['x-sunset'];
  // A deprecated operation only answers 410, so there are no samples for it.
  const samples = marker === 'deprecated' ? [] : codeSamples(operation, options.baseUrl);
  return html`<article class="operation" id="${operationId}">
<h3>${summary} <span class="marker" data-marker="${marker}">${marker}</span></h3>
<p class="endpoint"><span class="method" data-method="${method}">${method}</span> <code>${path}</code></p>
${paragraphs(details.description)}
${sunset && html`<p>Sunset: ${sunset}.</p>`}
${parameterTable(details.parameters ?? [])}
${samples.length > 0 ? sampleList(operationId, samples) : undefined}
<h4>Responses</h4>
${Object.entries(details.responses).map(([status, response]) => responseView(options.contract, status, response))}
</article>`;
}

function parameterTable(parameters: readonly ContractParameter[]): Markup | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td data-label="Type">${typeOf(schema)} in ${place}${required ? html` <em>required</em>` : undefined}</td>
<td data-label="Description">${paragraphs(description)}${constraints(schema)}</td>
</tr>`,
  );
  return html`<h4>Parameters</h4>
<table class="cards">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function sampleList(operationId: string, samples: readonly CodeSample[]): Markup {
  return html`<h4>Samples</h4>
<p>The <a href="#try">console</a> above sends the same request.</p>
<div>${samples.map(({ name, code }, index) => sampleView(`samples-${operationId}`, name, code, index === 0))}</div>`;
}

/** A sample that can be unfolded. A browser opens one `details` element per name at a time. */
function sampleView(group: string, name: string, code: string, isOpen: boolean): Markup {
  return html`<details class="sample" name="${group}"${isOpen ? html` open` : undefined}><summary>${name}</summary>
<div class="code"><pre><code>${code}</code></pre>
<button type="button" class="quiet" data-copy aria-label="Copy the ${name} sample">Copy</button></div></details>`;
}
