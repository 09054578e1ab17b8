import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientGuide } from './client-guide.ts';
import { contractText, parseContract } from './contract.ts';
import { html, type Markup } from './html.ts';
import { referenceView } from './reference-view.ts';

interface PageOptions {
  /** The URL of the API with its version, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  readonly demoKeys: readonly DemoKey[];
  /** Reads the id of an order that exists; undefined in an empty store. */
  readonly orderId: () => Promise<string | undefined>;
}

interface DemoKey {
  readonly plan: string;
  readonly key: string;
  readonly perMinute: number;
}

const pageDirectory = join(import.meta.dirname, 'page');

/** The files of the reference by name: what builds each of them. */
export function referenceFiles(
  options: PageOptions,
): Readonly<Record<string, () => string | Promise<string>>> {
  return {
    'index.html': () => pageDocument(options),
    'openapi.yaml': () => contractText(options.baseUrl),
    'clients.md': clientGuide,
    'page.css': () => bundle('page.css'),
    'page.js': () => bundle('page.ts'),
    'icon.svg': () => pageFile('icon.svg'),
  };
}

/** The page's content security policy: it may load its own files and send requests to the API. */
export function contentSecurityPolicy(apiOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Renders the reference as an HTML document with a console that lists and cancels orders. */
async function pageDocument({ baseUrl, demoKeys, orderId }: PageOptions): Promise<string> {
  const contract = parseContract(contractText(baseUrl));
  const id = await orderId();
  const { navigation, content } = referenceView(contract, baseUrl, id);
  const parts: Readonly<Record<string, Markup>> = {
    BASE_URL: html`${baseUrl}`,
    POLICY: html`${contentSecurityPolicy(new URL(baseUrl).origin)}`,
    TITLE: html`${contract.info.title}`,
    VERSION: html`${contract.info.version}`,
    NAVIGATION: navigation,
    KEY_FIELD: demoKeyField(demoKeys),
    ORDER_ID: html`${id}`,
    REFERENCE: content,
  };
  return pageFile('index.html').replaceAll(/\{\{(\w+)\}\}/g, (_, part) => String(parts[part]));
}

/** @throws esbuild's `BuildFailure` when a script or a style sheet does not build */
async function bundle(name: string): Promise<string> {
  // The module is loaded on demand, because most runs never show the page.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(pageDirectory, name)],
    bundle: true,
    // Browsers do not load modules from `file:` URLs, so the script is not a module.
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}

function pageFile(name: string): string {
  return readFileSync(join(pageDirectory, name), 'utf8');
}

function demoKeyField(demoKeys: readonly DemoKey[]): Markup {
  const choices = demoKeys.map(({ plan, key, perMinute }, index) => {
    const checked = index === 0 ? html` checked` : undefined;
    // Without `autocomplete`, a reload could select a plan whose key is not the one that is shown.
    return html`<label><input type="radio" name="key" value="${key}" autocomplete="off"${checked}><strong>${plan}</strong> <small>${perMinute.toLocaleString('en')} / min</small></label>
`;
  });
  return html`<fieldset id="key-field">
<legend>Demo key</legend>
<div class="plans">${choices}</div>
<p class="hint"><code id="key"></code></p>
</fieldset>`;
}
