import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type PlanName, planNames, plans } from '../lib/settings/plans.ts';
import { isFromThisMachine } from '../local/control-plane/loopback.ts';
import { bundlePage, swaggerFile } from '../reference/page-assets.ts';
import type { DemoKey, PageSettings } from './page/page-settings.ts';

export interface ReferencePageOptions {
  /** Path of the API on the same origin, such as `/staging/v1`. */
  readonly basePath: string;
  /** The demo keys that the page offers, by plan, once they are there. */
  readonly demoKeys: () => Readonly<Record<PlanName, string>>;
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
  readonly read: () => string | Buffer | Promise<string | Buffer>;
}

const pageDirectory = join(import.meta.dirname, 'page');
const pageScript = join(pageDirectory, 'page.ts');

const securityHeaders = {
  // The page holds keys: it loads nothing from elsewhere, and nobody may frame it.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
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

function pageContents({ basePath, demoKeys, openapiFile }: ReferencePageOptions) {
  const pageFile = (name: string) => () => readFileSync(join(pageDirectory, name));
  const contract = () => readFileSync(openapiFile, 'utf8');
  const settings = (): PageSettings => ({ basePath, demoKeys: describeKeys(demoKeys()) });
  return {
    '/': { mediaType: 'text/html', read: pageFile('index.html') },
    '/openapi.yaml': { mediaType: 'application/yaml', read: contract },
    '/reference/openapi.json': json(async () => (await import('yaml')).parse(contract())),
    '/reference/settings.json': json(settings),
    '/reference/page.css': { mediaType: 'text/css', read: pageFile('page.css') },
    '/reference/page.js': {
      mediaType: 'text/javascript',
      read: once(() => bundlePage(pageScript, 'esm')),
    },
    '/reference/icon.svg': { mediaType: 'image/svg+xml', read: pageFile('icon.svg') },
    '/reference/swagger-ui.css': {
      mediaType: 'text/css',
      read: once(() => swaggerFile('swagger-ui.css')),
    },
    '/reference/swagger-ui-bundle.js': {
      mediaType: 'text/javascript',
      read: once(() => swaggerFile('swagger-ui-bundle.js')),
    },
  } satisfies Record<string, Content>;
}

function describeKeys(keys: Readonly<Record<PlanName, string>>): DemoKey[] {
  const number = new Intl.NumberFormat('en');
  return planNames.map((plan) => ({
    plan,
    key: keys[plan],
    limits: `${number.format(plans[plan].perMinute)} per minute`,
  }));
}

async function send(
  { mediaType, read }: Content,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const body = await read();
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(method === 'HEAD' ? undefined : body);
  return true;
}

function json(value: () => unknown): Content {
  return { mediaType: 'application/json', read: async () => JSON.stringify(await value()) };
}

function once<T>(read: () => T): () => T {
  let value: { readonly read: T } | undefined;
  return () => {
    value ??= { read: read() };
    return value.read;
  };
}
