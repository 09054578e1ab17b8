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
  const { basePath, demoKeys, exampleOrderId } = options;
  return async (request, response) => {
    const { method, headers, url = '' } = request;
    const path = url.replace(/\?.*/s, '');
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || path.startsWith(`${basePath}/`) || !isFromThisMachine(request)) return false;
    // Loaded on demand, because most runs have no request for a page.
    const { pageFiles } = await import('./page-files.ts');
    const files = pageFiles({
      // The page's policy allows requests to its own origin only, so the base URL has the same host.
      baseUrl: `http://${headers.host}${basePath}`,
      demoKeys: demoKeys
        ? planNames.map((plan) => ({ title: titleOf(plan), key: demoKeys[plan] }))
        : [],
      orderId: exampleOrderId,
    });
    const file = files.get(path.slice(1) || 'index.html');
    if (file === undefined) return false;
    const body = await file.content();
    const contentType = `${file.mediaType}; charset=utf-8`;
    response.writeHead(200, { ...securityHeaders, 'Content-Type': contentType }).end(body);
    return true;
  };
}

function titleOf(plan: PlanName): string {
  return `${plan}: ${plans[plan].perMinute.toLocaleString('en')} per minute`;
}
