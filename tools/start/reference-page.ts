import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { isFromThisMachine } from '../local/control-plane/loopback.ts';
import type { Handler } from '../local/http-server.ts';

interface ReferencePageOptions {
  /** The path of the API on the same origin, such as `/staging/v1`. */
  readonly basePath: string;
  /** The demo keys by plan. Is called when the service is ready. */
  readonly demoKeys: () => Readonly<Record<PlanName, string>>;
  /** The id of an example order; undefined if there are no orders. */
  readonly exampleOrderId: () => Promise<string | undefined>;
}

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html'],
  ['openapi.yaml', 'application/yaml'],
  // As a text it is shown, where a browser would save it as Markdown.
  ['clients.md', 'text/plain'],
  ['page.css', 'text/css'],
  ['page.js', 'text/javascript'],
  ['icon.svg', 'image/svg+xml'],
]);

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
  return (request, response) => {
    const name = request.url?.replace(/\?.*/, '').slice(1) || 'index.html';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!mediaTypes.has(name) || !isRead || !isFromThisMachine(request)) return false;
    return send(name, options, request, response);
  };
}

async function send(
  name: string,
  { basePath, demoKeys, exampleOrderId }: ReferencePageOptions,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  // The module is loaded with the first request for a page, because most runs have none.
  const { contentSecurityPolicy, referenceFiles } = await import('../reference/page-document.ts');
  const keys = demoKeys();
  const files = referenceFiles({
    // The page's policy allows requests to its own origin only, so the base URL has the same host.
    baseUrl: `http://${headers.host}${basePath}`,
    demoKeys: planNames.map((plan) => ({ ...plans[plan], plan, key: keys[plan] })),
    orderId: exampleOrderId,
  });
  const body = await files[name]!();
  response.writeHead(200, {
    ...securityHeaders,
    // The page contains keys, so it must not load foreign content or be embedded in another page.
    'Content-Security-Policy': `${contentSecurityPolicy("'self'")}; frame-ancestors 'none'`,
    'Content-Type': `${mediaTypes.get(name)}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(method === 'HEAD' ? undefined : body);
  return true;
}
