import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { codeSamples } from './code-samples.ts';
import {
  type Contract,
  type ListedOperation,
  listErrors,
  listOperations,
} from './contract-index.ts';
import { bundlePage, swaggerFile } from './page-assets.ts';

export interface StaticReferenceOptions {
  /** Where the API is, with its version: `https://…/v1`. */
  readonly baseUrl: string;
  /** The contract's text, YAML. */
  readonly contract: string;
}

/** Files by name; all of them go into one folder. */
export type Files = Readonly<Record<string, string | Buffer>>;

const pageDirectory = join(import.meta.dirname, 'page');

/**
 * The API reference of a stage, as files that any web server can serve and a browser can also open
 * from a disk. It holds no key, and loads nothing from elsewhere; requests go to the stage alone,
 * which the page's own policy enforces.
 */
export async function staticReference(options: StaticReferenceOptions): Promise<Files> {
  const { baseUrl, contract: yaml } = options;
  const contract: Contract = parse(yaml);
  const pageFile = (name: string) => readFileSync(join(pageDirectory, name), 'utf8');
  return {
    'index.html': fill(pageFile('index.html'), {
      TITLE: escapeHtml(`${contract.info.title} ${contract.info.version}`),
      BASE_URL: escapeHtml(baseUrl),
      ORIGIN: escapeHtml(new URL(baseUrl).origin),
      OPERATIONS: operationSections(contract, baseUrl),
      ERRORS: errorRows(contract),
    }),
    'page.css': pageFile('page.css'),
    'page.js': await bundlePage(join(pageDirectory, 'page.ts'), 'iife'),
    'contract.js': `globalThis.storeOrders = ${JSON.stringify({ contract, baseUrl })};\n`,
    'openapi.yaml': yaml,
    'swagger-ui.css': swaggerFile('swagger-ui.css'),
    'swagger-ui-bundle.js': swaggerFile('swagger-ui-bundle.js'),
    'swagger-ui.LICENSE': swaggerFile('LICENSE'),
    'swagger-ui.NOTICE': swaggerFile('NOTICE'),
  };
}

function operationSections(contract: Contract, baseUrl: string): string {
  return listOperations(contract)
    .map((operation) => operationSection(operation, baseUrl))
    .join('\n');
}

function operationSection(operation: ListedOperation, baseUrl: string): string {
  const { operationId, method, path, summary, marker } = operation;
  // What answers 410 alone is not for anyone to call.
  const samples = marker === 'deprecated' ? [] : codeSamples(operation, baseUrl);
  return `<article id="${escapeHtml(operationId)}">
<h3>${escapeHtml(summary)} <span class="marker" data-marker="${escapeHtml(marker)}">${escapeHtml(marker)}</span></h3>
<p><code>${escapeHtml(`${method} ${path}`)}</code></p>
${samples.map(({ name, code }) => `<details><summary>${name}</summary><pre><code>${escapeHtml(code)}</code></pre></details>`).join('\n')}
</article>`;
}

function errorRows(contract: Contract): string {
  return listErrors(contract)
    .map((error) => [String(error.status), error.code, error.summary, error.message])
    .map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`)
    .join('\n');
}

function fill(page: string, parts: Readonly<Record<string, string>>): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name]!);
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]!);
}
