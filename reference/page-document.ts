import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoKey, PageSettings } from './browser/page-settings.ts';
import type { Contract } from './contract.ts';
import type { ParameterExamples } from './contract-index.ts';
import { html, Markup } from './html.ts';
import { navigation, referenceView } from './reference-view.ts';

export interface PageDocumentOptions extends PageSettings {
  readonly contract: Contract;
  /** The path of the page's files, relative to the page: empty, or ending in `/`. */
  readonly assets: string;
  readonly examples: ParameterExamples;
}

const pageDirectory = join(import.meta.dirname, 'page');

/**
 * Renders the reference as an HTML document with forms that send requests. With demo keys, it has a
 * console that lists and cancels orders; without them, it has a field for the reader's own key.
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

/** The settings as JSON in a script element, in which `<` is escaped because of `</script`. */
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
