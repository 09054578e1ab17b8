import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'yaml';
import { type PlanName, planNames, plans } from '../lib/settings/plans.ts';
import { isFromThisMachine } from '../local/control-plane/loopback.ts';
import type { DemoKey } from '../reference/browser/page-settings.ts';
import { pageAssets } from '../reference/page-assets.ts';
import { contentSecurityPolicy, pageDocument } from '../reference/page-document.ts';

export interface ReferencePageOptions {
  /** Path of the API on the same origin, such as `/staging/v1`. */
  readonly basePath: string;
  /** The demo keys that the page offers, by plan, once they are there. */
  readonly demoKeys: () => Readonly<Record<PlanName, string>>;
  /** The id of an order to show as an example; undefined where the store has none. */
  readonly exampleOrderId: () => Promise<string | undefined>;
  /** Path of the contract. */
  readonly openapiFile: string;
}

/** Answers the request if it is one for the page; otherwise it is for others to answer. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => boolean | Promise<boolean>;

interface Content {
  readonly mediaType: string;
  readonly read: (request: IncomingMessage) => string | Promise<string>;
}

const assetsPath = 'reference/';

const securityHeaders = {
  // The page holds keys: it loads nothing from elsewhere, and nobody may frame it.
  'Content-Security-Policy': `${contentSecurityPolicy("'self'")}; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * The API reference of a local run. It holds the demo keys, and therefore exists for this machine
 * only, and only under a name that means this machine: otherwise a web site whose name was made to
 * lead here could read them.
 */
export function referencePage(options: ReferencePageOptions): RequestHandler {
  const contents: ReadonlyMap<string, Content> = new Map(Object.entries(pageContents(options)));
  return (request, response) => {
    const content = contents.get(request.url?.replace(/\?.*/, '') ?? '');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (content === undefined || !isRead || !isFromThisMachine(request)) return false;
    return send(content, request, response);
  };
}

function pageContents(options: ReferencePageOptions): Record<string, Content> {
  const contract = () => readFileSync(options.openapiFile, 'utf8');
  let assets: ReturnType<typeof pageAssets> | undefined;
  const asset = (name: string) => async () => {
    assets ??= pageAssets();
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
  const runId = randomUUID();
  return async ({ headers }) => {
    const orderId = await exampleOrderId();
    return pageDocument({
      contract: parse(contract()),
      // The name that the page was asked under is the one that its policy lets it ask.
      baseUrl: `http://${headers.host}${basePath}`,
      assets: assetsPath,
      demoKeys: describeKeys(demoKeys()),
      runId,
      examples: orderId === undefined ? {} : { orderId },
    });
  };
}

function describeKeys(keys: Readonly<Record<PlanName, string>>): DemoKey[] {
  return planNames.map((plan) => {
    const { perMinute, perDay } = plans[plan];
    return { plan, key: keys[plan], perMinute, perDay };
  });
}

async function send(
  { mediaType, read }: Content,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const body = await read(request);
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
