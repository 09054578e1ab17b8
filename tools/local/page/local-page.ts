import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { serviceTitle } from '../../../lambdas/contract/service-name.ts';
import { orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import { type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';
import { isFromThisMachine } from '../aws/management/loopback.ts';
import type { Handler } from '../aws/serve.ts';

const number = new Intl.NumberFormat('en');
const folder = import.meta.dirname;
const scripts = ['page.ts', 'orders.ts', 'elements.ts'];

/** The files of the page, by their paths. */
const files: Readonly<Record<string, string>> = {
  '': join(folder, 'page.html'),
  'page.css': join(folder, 'page.css'),
  'simple.css': createRequire(import.meta.url).resolve('simpledotcss'),
  ...Object.fromEntries(scripts.map((name) => [name, join(folder, name)])),
};

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.ts': 'text/javascript',
};

const securityHeaders = {
  // The page contains keys, so it must not load foreign content or be embedded in another page.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Serves the page, which contains the demo keys, to this machine only.
 *
 * @param basePath the path of the API on the same origin, such as `/staging/v1`
 */
export function localPage(basePath: string, demoKeys: Record<PlanName, string>): Handler {
  const choices = planNames.map((plan) => `<option value="${demoKeys[plan]}">${planTitle(plan)}`);
  // These values need no escaping, because keys and titles consist of plain words.
  const values: Readonly<Record<string, string>> = {
    basePath,
    serviceTitle,
    demoKeys: choices.join('\n'),
    columns: [...orderFieldNames, 'cancel'].map((name) => `<th scope="col">${name}`).join(''),
  };
  return async (request, response) => {
    const { method, url = '' } = request;
    const path = url.replace(/\?.*/s, '').slice(1);
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || !Object.hasOwn(files, path) || !isFromThisMachine(request)) return false;
    const file = files[path]!;
    const type = extname(file);
    let text = readFileSync(file, 'utf8');
    if (type === '.ts') text = stripTypeScriptTypes(text);
    if (type === '.html') text = text.replaceAll(/{{(\w+)}}/g, (_, name) => values[name]!);
    const contentType = `${mediaTypes[type]}; charset=utf-8`;
    response.writeHead(200, { ...securityHeaders, 'Content-Type': contentType }).end(text);
    return true;
  };
}

/** Such as `free: 60 per minute, 1,000 per day`. */
function planTitle(plan: PlanName): string {
  const { perMinute, perDay } = plans[plan];
  return `${plan}: ${number.format(perMinute)} per minute, ${number.format(perDay)} per day`;
}
