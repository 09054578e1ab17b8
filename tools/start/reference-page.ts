import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { isFromThisMachine } from '../local/control-plane/loopback.ts';
import type { Handler } from '../local/http-server.ts';
import type { DemoKey } from '../reference/page-document.ts';

interface ReferencePageOptions {
  /** The path of the API on the same origin, such as `/staging/v1`. */
  readonly basePath: string;
  /** The demo keys by plan. Is called when the service is ready. */
  readonly demoKeys: () => Readonly<Record<PlanName, string>>;
  /** The id of an example order; undefined if there are no orders. */
  readonly exampleOrderId: () => Promise<string | undefined>;
}

interface Content {
  readonly mediaType: string;
  readonly read: (request: IncomingMessage) => string | Promise<string>;
}

const assetsPath = 'reference/';
const openapiFile = join(import.meta.dirname, '../../openapi.yaml');

// They are loaded with the first request for a page, because most runs have none.
const pageModule = () => import('../reference/page-document.ts');
const yamlModule = () => import('yaml');

const securityHeaders = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Returns the handler for the API reference of a local run. The page contains the demo keys, so it is
 * served to this machine only, and only under a loopback name, which protects it against DNS
 * rebinding.
 */
export function referencePage(options: ReferencePageOptions): Handler {
  const contents: ReadonlyMap<string, Content> = new Map(Object.entries(pageContents(options)));
  return (request, response) => {
    const content = contents.get(request.url?.replace(/\?.*/, '') ?? '');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (content === undefined || !isRead || !isFromThisMachine(request)) return false;
    return send(content, request, response);
  };
}

function pageContents(options: ReferencePageOptions): Record<string, Content> {
  const contract = () => readFileSync(openapiFile, 'utf8');
  let assets: Promise<Record<string, string>> | undefined;
  const asset = (name: string) => async () => {
    assets ??= pageModule().then(({ pageAssets }) => pageAssets());
    return (await assets)[name]!;
  };
  return {
    '/': { mediaType: 'text/html', read: documentReader(options, contract) },
    '/openapi.yaml': { mediaType: 'application/yaml', read: contract },
    '/reference/page.css': { mediaType: 'text/css', read: asset('page.css') },
    '/reference/page.js': { mediaType: 'text/javascript', read: asset('page.js') },
    '/reference/icon.svg': { mediaType: 'image/svg+xml', read: asset('icon.svg') },
  };
}

function documentReader(
  { basePath, demoKeys, exampleOrderId }: ReferencePageOptions,
  contract: () => string,
): Content['read'] {
  return async ({ headers }) => {
    const [{ pageDocument }, { parse }] = await Promise.all([pageModule(), yamlModule()]);
    return pageDocument({
      contract: parse(contract()),
      // The page's policy allows requests to its own origin only, so the base URL has the same host.
      baseUrl: `http://${headers.host}${basePath}`,
      assets: assetsPath,
      demoKeys: describeKeys(demoKeys()),
      orderId: await exampleOrderId(),
    });
  };
}

function describeKeys(keys: Readonly<Record<PlanName, string>>): DemoKey[] {
  return planNames.map((plan) => ({ plan, key: keys[plan], perMinute: plans[plan].perMinute }));
}

async function send(
  { mediaType, read }: Content,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const body = await read(request);
  const { contentSecurityPolicy } = await pageModule();
  response.writeHead(200, {
    ...securityHeaders,
    // The page contains keys, so it must not load foreign content or be embedded in another page.
    'Content-Security-Policy': `${contentSecurityPolicy("'self'")}; frame-ancestors 'none'`,
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
