import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import type { DemoKey, PageSettings } from './page/page-settings.ts';

export interface ReferencePageSettings {
  /** The API's address on this server, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  /** The demo keys that the page offers, the first one picked. */
  readonly demoKeys: readonly DemoKey[];
  /** Path of the contract. */
  readonly openapiFile: string;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

interface Content {
  readonly mediaType: string;
  readonly read: () => string | Buffer;
}

const pageDirectory = join(import.meta.dirname, 'page');

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
 * The API reference of a local run, as handlers by path. What they serve holds the demo keys, so
 * they answer this machine only, and only under a name that means this machine: otherwise a web
 * site whose name was made to point here could read them.
 */
export function referencePage(settings: ReferencePageSettings): Map<string, RequestHandler> {
  const contents = Object.entries(pageContents(settings));
  return new Map(contents.map(([path, content]) => [path, handlerOf(content)]));
}

function pageContents({ baseUrl, demoKeys, openapiFile }: ReferencePageSettings) {
  const pageSettings: PageSettings = { basePath: new URL(baseUrl).pathname, demoKeys };
  const pageFile = (name: string) => () => readFileSync(join(pageDirectory, name));
  const contract = () => readFileSync(openapiFile, 'utf8');
  return {
    '/': { mediaType: 'text/html', read: pageFile('index.html') },
    '/openapi.yaml': { mediaType: 'application/yaml', read: contract },
    '/reference/openapi.json': json(() => parse(contract())),
    '/reference/settings.json': json(() => pageSettings),
    '/reference/page.css': { mediaType: 'text/css', read: pageFile('page.css') },
    '/reference/page.js': { mediaType: 'text/javascript', read: once(bundlePage) },
    '/reference/icon.svg': { mediaType: 'image/svg+xml', read: pageFile('icon.svg') },
    '/reference/swagger-ui.css': { mediaType: 'text/css', read: swaggerFile('swagger-ui.css') },
    '/reference/swagger-ui-bundle.js': {
      mediaType: 'text/javascript',
      read: swaggerFile('swagger-ui-bundle.js'),
    },
  } satisfies Record<string, Content>;
}

function handlerOf({ mediaType, read }: Content): RequestHandler {
  return (request, response) => {
    if (!isThisMachine(request)) return refuse(response, 403);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405);
    const body = read();
    response.writeHead(200, {
      ...securityHeaders,
      'Content-Type': `${mediaType}; charset=utf-8`,
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

function isThisMachine({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(address);
  return isLoopback && /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/i.test(headers.host ?? '');
}

function refuse(response: ServerResponse, status: 403 | 405): void {
  response.writeHead(status, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(status === 403 ? 'This page is for the machine that runs the service.\n' : '');
}

function json(value: () => unknown): Content {
  return { mediaType: 'application/json', read: () => JSON.stringify(value()) };
}

function swaggerFile(name: string): () => Buffer {
  const directory = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist'));
  return once(() => readFileSync(join(directory(), name)));
}

/** Bundled when the page is first asked for: a start without a browser does not pay for it. */
function bundlePage(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(pageDirectory, 'page.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}

function once<T>(read: () => T): () => T {
  let value: { readonly read: T } | undefined;
  return () => {
    value ??= { read: read() };
    return value.read;
  };
}
