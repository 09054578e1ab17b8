import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from './contract.ts';
import type { ParameterExamples } from './contract-index.ts';
import { html, type Markup } from './html.ts';
import { navigation, referenceView } from './reference-view.ts';

export interface PageOptions {
  readonly contract: Contract;
  /** The URL of the API with its version, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  /** The path of the page's files, relative to the page: empty, or ending in `/`. */
  readonly assets: string;
  /** The demo keys to choose from. Without any, the reader types a key. */
  readonly demoKeys: readonly DemoKey[];
  /** The id of an order that exists. @default - the contract's example */
  readonly orderId: string | undefined;
}

export interface DemoKey {
  readonly plan: string;
  readonly key: string;
  readonly perMinute: number;
}

const pageDirectory = join(import.meta.dirname, 'page');

/** Renders the reference as an HTML document with a console that lists and cancels orders. */
export function pageDocument(options: PageOptions): string {
  const { contract, assets, baseUrl, demoKeys, orderId } = options;
  const { title, version } = contract.info;
  const examples: ParameterExamples = orderId === undefined ? {} : { orderId };
  const parts: Readonly<Record<string, Markup>> = {
    BASE_URL: html`${baseUrl}`,
    POLICY: html`${contentSecurityPolicy(new URL(baseUrl).origin)}`,
    TITLE: html`${title}`,
    VERSION: html`${version}`,
    ASSETS: html`${assets}`,
    NAVIGATION: navigation(contract),
    KEY_FIELD: demoKeys.length > 0 ? demoKeyField(demoKeys) : ownKeyField(baseUrl),
    ORDER_ID: html`${orderId}`,
    REFERENCE: referenceView({ contract, baseUrl, examples }),
  };
  const template = readFileSync(join(pageDirectory, 'index.html'), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => String(parts[part]));
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

/**
 * Builds the files that the page loads. Returns their contents by name.
 *
 * @throws esbuild's `BuildFailure` when the script does not build
 */
export async function pageAssets(): Promise<Readonly<Record<string, string>>> {
  return {
    'page.css': await bundle('page.css'),
    'page.js': await bundle('page.ts'),
    'icon.svg': readFileSync(join(pageDirectory, 'icon.svg'), 'utf8'),
  };
}

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

function demoKeyField(demoKeys: readonly DemoKey[]): Markup {
  const choices = demoKeys.map(({ plan, key, perMinute }, index) => {
    const checked = index === 0 ? html` checked` : undefined;
    // Without `autocomplete`, a reload could select a plan whose key is not the one that is shown.
    return html`<label><input type="radio" name="key" value="${key}" autocomplete="off"${checked}><strong>${plan}</strong> <small>${perMinute.toLocaleString('en')} per minute</small></label>
`;
  });
  return html`<fieldset id="key-field">
<legend>Demo key</legend>
<div class="plans">${choices}</div>
<p class="hint"><code id="key"></code></p>
</fieldset>`;
}

function ownKeyField(baseUrl: string): Markup {
  return html`<p class="action" id="key-field">
<label for="own-key">API key</label>
<input id="own-key" name="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<span id="key-hint" class="hint">The key stays in this page and goes to ${baseUrl} alone. The stage has to allow this page's origin (CORS); by default a stage allows none.</span>
</p>`;
}
