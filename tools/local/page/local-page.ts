import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serviceTitle } from '../../../lambdas/domain/service-name.ts';
import { type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';
import type { Handler } from '../aws/http-server.ts';
import { isFromThisMachine } from '../aws/management/loopback.ts';

interface LocalPageOptions {
  /** The path of the API on the same origin, such as `/staging/v1`. */
  readonly basePath: string;
  readonly demoKeys: Readonly<Record<PlanName, string>> | undefined;
  /** Undefined if there are no orders. */
  readonly exampleOrderId: () => Promise<string | undefined>;
}

const folder = import.meta.dirname;
const root = join(folder, '../../..');

/** The files of the page, and the files that it links to. A browser shows plain text, and would save YAML or Markdown. */
const files: Readonly<Record<string, readonly [mediaType: string, file: string]>> = {
  'icon.svg': ['image/svg+xml', join(folder, 'icon.svg')],
  'page.css': ['text/css', join(folder, 'page.css')],
  'simple.css': ['text/css', createRequire(import.meta.url).resolve('simpledotcss')],
  'openapi.yaml': ['text/plain', join(root, 'openapi.yaml')],
  'docs/clients.md': ['text/plain', join(root, 'docs/clients.md')],
};

const securityHeaders = {
  // The page contains keys, so it must not load foreign content or be embedded in another page.
  'Content-Security-Policy': `
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
    .trim()
    .replaceAll(/\s+/g, ' '),
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Serves the page, which contains the demo keys, to this machine only. */
export function localPage(options: LocalPageOptions): Handler {
  return async (request, response) => {
    const { method, headers, url = '' } = request;
    const path = url.replace(/\?.*/s, '').slice(1);
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || !isFromThisMachine(request)) return false;
    const content = await contentOf(path, headers.host!, options);
    if (content === undefined) return false;
    const [mediaType, body] = content;
    const contentType = `${mediaType}; charset=utf-8`;
    response.writeHead(200, { ...securityHeaders, 'Content-Type': contentType }).end(body);
    return true;
  };
}

async function contentOf(path: string, host: string, options: LocalPageOptions) {
  if (path === '') return ['text/html', await pageOf(host, options)] as const;
  if (path === 'page.js') return ['text/javascript', await bundledScript()] as const;
  if (!Object.hasOwn(files, path)) return undefined;
  const [mediaType, file] = files[path]!;
  return [mediaType, readFileSync(file)] as const;
}

/** The values need no escaping: keys are words, ids are numbers, and the host is a loopback name. */
async function pageOf(host: string, options: LocalPageOptions): Promise<string> {
  const { basePath, demoKeys, exampleOrderId } = options;
  const choices = planNames.map((plan) => `<option value="${demoKeys?.[plan]}">${titleOf(plan)}`);
  const values: Readonly<Record<string, string>> = {
    // The page's policy allows requests to its own origin only.
    origin: `http://${host}`,
    basePath,
    serviceTitle,
    demoKeys: demoKeys ? choices.join('\n') : '',
    orderId: (await exampleOrderId()) ?? '',
  };
  const page = readFileSync(join(folder, 'page.html'), 'utf8');
  return page.replaceAll(/{{(\w+)}}/g, (_, name) => values[name]!);
}

/** Such as `free: 60 per minute, 1,000 per day`. */
function titleOf(plan: PlanName): string {
  const [perMinute, perDay] = [plans[plan].perMinute, plans[plan].perDay].map((limit) =>
    limit.toLocaleString('en'),
  );
  return `${plan}: ${perMinute} per minute, ${perDay} per day`;
}

/** @throws esbuild's `BuildFailure` */
async function bundledScript(): Promise<string> {
  // The module is loaded on demand, because most runs never show the page.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'page.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
