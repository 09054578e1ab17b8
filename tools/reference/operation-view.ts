import { codeSamples, type ParameterExamples } from './code-samples.ts';
import type { ContractParameter } from './contract.ts';
import type { ListedOperation } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { paragraphs, selfLink } from './prose.ts';
import { codeFigure, responseView } from './response-view.ts';
import { constraints, requiredMark, typeOf } from './schema-view.ts';
import { table } from './table.ts';

/** The description of an operation, with samples. */
export function operationView(
  operation: ListedOperation,
  baseUrl: string,
  examples: ParameterExamples,
): Markup {
  const { operationId, method, path, summary, marker, description } = operation;
  const sunset = operation['x-sunset'];
  // A deprecated operation only answers 410, so there are no samples for it.
  const samples =
    marker === 'deprecated' ? [] : Object.entries(codeSamples(operation, baseUrl, examples));
  return html`<article class="panel operation" id="${operationId}">
<div>
<h3>${selfLink(operationId, summary)} <span class="badge" data-kind="${marker}">${marker}</span></h3>
<p><span class="badge" data-kind="${method}">${method}</span> <code>${path}</code></p>
${paragraphs(description)}
${sunset && html`<p>Sunset: ${sunset}.</p>`}
${parameterTable(operation.parameters ?? [])}
</div>
${samples.length > 0 ? sampleTabs(operationId, samples) : undefined}
<div>
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => responseView(status, response))}
</div>
</article>`;
}

/** Shows one sample at a time. A style sheet alone does so: without one, all of them are shown. */
function sampleTabs(operationId: string, samples: readonly (readonly [string, string])[]): Markup {
  const tabs = samples.map(([name, code], index) => {
    const checked = index === 0 ? html` checked` : undefined;
    return html`<label><input type="radio" name="${operationId}-sample"${checked}>${name}</label>
${codeFigure(name, code, copyButton(name))}`;
  });
  return html`<fieldset class="tabs samples">
<legend class="visually-hidden">Samples</legend>
${tabs}
</fieldset>`;
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

function copyButton(name: string): Markup {
  return html`<button type="button" class="quiet" data-copy aria-label="Copy the ${name} sample">Copy</button>`;
}
