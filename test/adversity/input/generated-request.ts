import type { Random } from '../random.ts';

/** A request as the bytes that a client sends. */
export interface GeneratedRequest {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Whether it is well-formed, so that it gets an answer and another request can follow. */
  readonly isReadable: boolean;
}

const methods = [
  ...['GET', 'GET', 'GET', 'DELETE', 'DELETE', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'],
  ...['PROPFIND', 'M-SEARCH', 'LOCK', 'PURGE', 'SOURCE'],
];
const orders = '/staging/v1/store/orders';
const paths = [
  ...[orders, orders, `${orders}/`, '/staging/v1/pets/1', '/staging/v1/pets/%00', '/staging', '/'],
  ...[
    '//',
    '///staging//v1',
    '/staging/v1',
    `/prod/v1/store/orders`,
    '/staging/v1/store/orders/1/2',
  ],
  ...['*', '/%', '/staging/v1/%zz', '/staging/%2e%2e/v1', '/../..', '/staging/v1/store/orders%2f1'],
  ...[
    `http://store.example${orders}`,
    `https://[${orders}`,
    'http://',
    '/?a=b&a=%',
    '//[',
    '/\\',
    '/;',
  ],
  ...[`${orders}?x=${'y'.repeat(3_000)}`, `/${'long/'.repeat(900)}`, `${orders}?%00=%ff`],
];
const ids = [
  ...[
    '1',
    '-1',
    '0',
    '007',
    '9223372036854775807',
    '9223372036854775808',
    '1e3',
    '+1',
    '%31',
    '1%20',
  ],
  ...[
    'a'.repeat(40),
    '../1',
    '%2e%2e',
    '1;2',
    '1,2',
    '%00',
    '%f0%9f%90%95',
    "'",
    '{"id":1}',
    'NaN',
  ],
];
const authorizations = [
  ...['', ' ', 'Bearer', 'Bearer ', 'Bearer x', 'bearer  x', 'Basic OnNvX3Rlc3Q=', 'Digest a="b"'],
  ...[
    `Bearer ${'k'.repeat(5_000)}`,
    `Bearer so_test_${'a'.repeat(46)}`,
    'AWS4-HMAC-SHA256 Credential=a',
  ],
  ...['Bearer \u00e9', 'Bearer a, Bearer b', 'Bearer so_live_', '\t', '%', 'null', 'undefined'],
];
const otherHeaders = [
  ...['Accept-Encoding: gzip', 'Accept-Encoding: gzip;q=0, *;q=9', 'Accept: text/html', 'Accept: '],
  ...['Content-Type: application/json', 'Content-Type: text/plain; charset="', 'Content-Type: ;;;'],
  ...[
    'Cookie: a=b; a=b',
    'Origin: null',
    'Origin: https://evil.example',
    'X-Api-Key: 1',
    'Via: 1.1 a',
  ],
  ...[
    'X-Amzn-Trace-Id: Root=1',
    'X-Amzn-RequestId: mine',
    'X-Forwarded-For: 1, 2',
    'Range: bytes=0-1',
  ],
  ...['Connection: keep-alive', 'TE: trailers'],
  ...['X-HTTP-Method-Override: DELETE', 'If-None-Match: *', 'Max-Forwards: 0', 'Date: tomorrow'],
  ...['__proto__: 1', 'constructor: 2', `X-Long: ${'v'.repeat(4_000)}`, 'X-Bytes: \u0080\u00ff'],
  ...[
    'Expect: the impossible',
    'Host: a',
    'Host: b',
    'User-Agent: \u00ff',
    'X-Amz-Date: 1',
    'X-Tab: a\tb',
  ],
];
const bodies = [
  '',
  '{}',
  '{',
  '[[[[',
  'null',
  '\u0000\u00ff',
  '"'.repeat(500),
  '{"a":1e999}',
  '<a/>',
];

/** Malformed requests, which end the connection. */
const unreadable = [
  ...[
    'GET\r\n\r\n',
    'FOO / HTTP/1.1\r\n\r\n',
    'get / HTTP/1.1\r\n\r\n',
    '\u0000\u0001\u0002',
    '{"a":1}\r\n\r\n',
  ],
  ...[
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nno colon\r\n\r\n',
    'GET / HTTP/1.1\r\n : v\r\n\r\n',
  ],
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0000\u00a5\u0001',
    'GET / HTTP/1.1\r\nHo',
  ],
  ...['GET  /  HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n', 'GET /'],
  'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n',
  'GET /\u00e9 HTTP/1.1\r\n\r\n',
  `DELETE ${orders}/1 HTTP/1.1\r\nContent-Length: 9999\r\n\r\nunfinished`,
  'CONNECT store.example:443 HTTP/1.1\r\n\r\n',
  'CONNECT / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n',
];

/** Headers of requests that are answered and end the connection. */
const lastHeaders = [
  'Expect: 100-continue\r\nContent-Length: 2',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: websocket',
  'Connection: close',
];

/** Generates a request. @param key a valid key, which some of the requests contain */
export function generateRequest(random: Random, key: string): GeneratedRequest {
  const method = random.pick(methods);
  const path = random.chance(0.3) ? `${orders}/${random.pick(ids)}` : random.pick(paths);
  const lines = [`${method} ${path} HTTP/1.1`];
  const keyed = random.chance(0.003) ? [`Bearer ${key}`] : [];
  const tokens = [...keyed, ...some(random, authorizations, 2)];
  for (const token of tokens) lines.push(`Authorization: ${token}`);
  lines.push(...some(random, otherHeaders, random.chance(0.02) ? 60 : 4));
  const body = random.chance(0.3) ? framed(random, random.pick(bodies)) : ['', ''];
  const text = `${[...lines, ...(body[0] ? [body[0]] : [])].join('\r\n')}\r\n\r\n${body[1]}`;
  return { bytes: Buffer.from(text, 'latin1'), isHead: method === 'HEAD', isReadable: true };
}

/** Generates the end of a conversation: a malformed request, or one that ends the connection. */
export function generateEnd(random: Random): GeneratedRequest {
  if (random.chance(0.2)) {
    const head = `POST ${random.pick(paths)} HTTP/1.${random.integer(0, 2)}\r\n${random.pick(lastHeaders)}\r\n\r\n`;
    return { bytes: Buffer.from(head, 'latin1'), isHead: false, isReadable: true };
  }
  const bytes = Buffer.from(random.pick(unreadable), 'latin1');
  return { bytes, isHead: false, isReadable: false };
}

function some(random: Random, values: readonly string[], limit: number): string[] {
  return Array.from({ length: random.integer(0, limit) }, () => random.pick(values));
}

/** The header for the framing of a body, and the framed body. */
function framed(random: Random, body: string): [header: string, body: string] {
  if (random.chance(0.5)) return [`Content-Length: ${body.length}`, body];
  const chunk = body && `${body.length.toString(16)};extension=1\r\n${body}\r\n`;
  return ['Transfer-Encoding: chunked', `${chunk}0\r\nX-Trailer: 1\r\n\r\n`];
}
