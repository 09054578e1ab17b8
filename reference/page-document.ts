import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoKey, PageSettings } from './browser/page-settings.ts';
import type { Contract } from './contract.ts';
import type { ParameterExamples } from './contract-index.ts';
import { html, Markup } from './html.ts';
import { navigation, referenceView } from './reference-view.ts';

export interface PageDocumentOptions extends PageSettings {
  readonly contract: Contract;
  /** Where the page's other files are, seen from the page: nothing, or a path that ends in `/`. */
  readonly assets: string;
  readonly examples: ParameterExamples;
}

const pageDirectory = join(import.meta.dirname, 'page');

/**
 * The reference as one HTML document: the contract, and the means to try it. With demo keys it has
 * a console that lists and cancels orders; without, a field for the reader's own key.
 */
export function pageDocument(options: PageDocumentOptions): string {
  const { contract, assets, baseUrl, demoKeys, runId } = options;
  const { title, version } = contract.info;
  const common = { BASE_URL: html`${baseUrl}` };
  const tryIt = demoKeys.length > 0 ? 'console.html' : 'own-key.html';
  return fill('index.html', {
    ...common,
    POLICY: html`${contentSecurityPolicy(new URL(baseUrl).origin)}`,
    TITLE: html`${title}`,
    VERSION: html`${version}`,
    ASSETS: html`${assets}`,
    NAVIGATION: navigation(contract),
    TRY: fill(tryIt, { ...common, PLANS: html`${demoKeys.map(planChoice)}` }),
    REFERENCE: referenceView(options),
    SETTINGS: settingsElement({ baseUrl, demoKeys, runId }),
  });
}

/** What the page may do: it loads its own files only, and asks nobody but the API. */
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

/** Within a script element, nothing but `</script` and `<!--` means anything. */
function settingsElement(settings: PageSettings): Markup {
  const json = new Markup(JSON.stringify(settings).replaceAll('<', '\\u003c'));
  return html`<script type="application/json" id="settings">${json}</script>`;
}

function planChoice({ plan, perMinute }: DemoKey, index: number): Markup {
  const checked = index === 0 ? html` checked` : undefined;
  return html`<label><input type="radio" name="plan" value="${plan}"${checked}><strong>${plan}</strong> <small>${perMinute.toLocaleString('en')} per minute</small></label>
`;
}

function fill(name: string, parts: Readonly<Record<string, Markup | string>>): string {
  const template = readFileSync(join(pageDirectory, name), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => String(parts[part]));
}
