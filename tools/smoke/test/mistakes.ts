import { parseAuthorization } from '../../../lambdas/shared/api-key.ts';
import { cancelRefusal } from '../../../lambdas/shared/order-states.ts';
import type { Mistake, Spoilable } from './spoilt-client.ts';

/*
 * A check that cannot fail is worse than none. Each mistake here is put into the answers of the service,
 * and the named check has to notice it. tools/smoke/test/answers.test.ts is the other half: without a
 * mistake, the checks find nothing.
 */

type Body = Record<string, unknown>;

const missingHeader = 'refuses a missing Authorization header';
const unknownPath = 'answers 404 to GET /store/unknown';
const gone = 'answers 410 gone, with the documented sunset date';
const gzipped = 'returns all orders as a JSON array, streamed and gzipped, whatever the query';
const plain = 'returns the same orders plain to a client that refuses gzip';
const counted = 'lowers Remaining by one per admitted request, and by none for the others';
const exhausted = 'admits exactly what Remaining promised, then answers 429';
const limitedEverywhere = 'answers 429 on every operation';
const badId = 'answers 400 to an order id that is no canonical int64';

/** The checks that another one builds on. */
export const before: Readonly<Record<string, string>> = {
  [plain]: gzipped,
  [limitedEverywhere]: exhausted,
};

/** Spoils the answers of one status. */
const on =
  (status: number, spoil: (answer: Spoilable) => void): Mistake =>
  (answer) => {
    if (answer.status === status) spoil(answer);
  };

const withHeader = (status: number, name: string, value: string | undefined) =>
  on(status, ({ headers }) => {
    headers[name] = value;
  });

const withBody = (status: number, change: (body: Body) => Body) =>
  on(status, (answer) => {
    answer.text = JSON.stringify(change(JSON.parse(answer.text)));
  });

const withList = (change: (list: string) => string) =>
  on(200, (answer) => {
    answer.text = change(answer.text);
  });

/** What is wrong, the check that has to notice it, what that says, and the mistake. */
export const mistakes: [string, string, string, Mistake][] = [
  [
    'a rate-limit header is missing on 401',
    missingHeader,
    'header x-ratelimit-reset is missing',
    withHeader(401, 'x-ratelimit-reset', undefined),
  ],
  [
    'RateLimit is missing on 404',
    unknownPath,
    'header ratelimit is missing',
    withHeader(404, 'ratelimit', undefined),
  ],
  [
    'RateLimit says another remaining than X-RateLimit-Remaining',
    gone,
    'describe no window of',
    withHeader(410, 'ratelimit', '"minute";r=1;t=30, "day";r=900;t=40000'),
  ],
  [
    'RateLimit-Policy says another quota than X-RateLimit-Limit',
    gone,
    'describe no window of',
    withHeader(410, 'ratelimit-policy', '"minute";q=61;w=60, "day";q=1001;w=86400'),
  ],
  [
    'the reset is another time than RateLimit says',
    gone,
    'describe no window of',
    withHeader(410, 'x-ratelimit-reset', '1000000020'),
  ],
  [
    'a 401 states an allowance',
    missingHeader,
    'the rate-limit headers are 60, 0, 0, expected 0, 0, 0',
    withHeader(401, 'x-ratelimit-limit', '60'),
  ],
  [
    'an unknown path states an allowance',
    unknownPath,
    'the rate-limit headers are 60, 0, 0, expected 0, 0, 0',
    withHeader(404, 'x-ratelimit-limit', '60'),
  ],
  [
    'one of the 401 answers has a message of its own',
    'refuses the Basic scheme',
    'the error is "unauthorized: Basic?", documented is',
    (answer, { authorization }) => {
      if (!authorization?.startsWith('Basic')) return;
      withBody(401, (body) => ({ ...body, message: 'Basic?' }))(answer, {} as never);
    },
  ],
  [
    'WWW-Authenticate is missing',
    missingHeader,
    'header www-authenticate is missing',
    withHeader(401, 'www-authenticate', undefined),
  ],
  [
    'a wrong key is served',
    'refuses two spaces before the key',
    'came: 200',
    (answer, { authorization }) => {
      if (authorization?.startsWith('Bearer  ')) answer.status = 200;
    },
  ],
  [
    'a key with a right checksum is served without being looked up',
    'refuses a well-formed key of an owner that does not exist',
    'came: 200',
    (answer, { authorization }) => {
      if (parseAuthorization(authorization, 'so_test_')) answer.status = 200;
    },
  ],
  [
    'a scheme in capitals is refused',
    'accepts the scheme in any case',
    'came: 401',
    (answer, { authorization }) => {
      if (authorization?.startsWith('BEARER')) answer.status = 401;
    },
  ],
  [
    'one operation works without a key',
    'refuses a missing key on every operation',
    'came: 410',
    (answer, { path }) => {
      if (path.startsWith('/pets')) answer.status = 410;
    },
  ],
  [
    "an unknown path gets API Gateway's own answer",
    unknownPath,
    'status 403 is not in openapi.yaml',
    on(404, (answer) => {
      answer.status = 403;
    }),
  ],
  [
    'an unknown path is something else to a client with a key',
    unknownPath,
    'came: 500',
    (answer, { authorization }) => {
      if (authorization?.includes('so_')) answer.status = 500;
    },
  ],
  [
    'the answer to HEAD is without an allowance',
    'answers 404 to HEAD /store/orders',
    'header x-ratelimit-limit is missing',
    withHeader(404, 'x-ratelimit-limit', undefined),
  ],
  [
    'an error has a field too many',
    gone,
    'must NOT have unevaluated properties',
    withBody(410, (body) => ({ ...body, stack: 'at …' })),
  ],
  [
    "an error's status differs from the response's",
    'answers 404 to an order that does not exist',
    'status must be equal to constant',
    withBody(404, (body) => ({ ...body, status: 400 })),
  ],
  [
    'an undocumented header is sent',
    gone,
    'header x-powered-by is not in openapi.yaml',
    withHeader(410, 'x-powered-by', 'Something'),
  ],
  [
    'the sunset date is another one',
    gone,
    'documented is Sun, 01 Nov 2026',
    withHeader(410, 'sunset', 'Fri, 01 Jan 2027 00:00:00 GMT'),
  ],
  [
    'the list is cut off',
    gzipped,
    'the array is not closed',
    withList((list) => list.slice(0, -1)),
  ],
  [
    'an id was rounded',
    gzipped,
    'holds 9223372036854775808, which is no 64-bit integer',
    withList((list) => list.replace('9223372036854775807', '9223372036854775808')),
  ],
  [
    'an order shows its status',
    gzipped,
    'must NOT have unevaluated properties',
    withList(() => '[{"id":1,"status":"pending"}]'),
  ],
  [
    'an order is missing from the plain list',
    plain,
    'has 0 orders, gzipped there were',
    (answer) => {
      if (answer.status === 200 && !answer.headers['content-encoding']) answer.text = '[]';
    },
  ],
  [
    'the list is buffered',
    gzipped,
    'has a content-length, so it was not streamed',
    withHeader(200, 'content-length', '1'),
  ],
  [
    'the list is never compressed',
    gzipped,
    'content-encoding is undefined, expected gzip',
    withHeader(200, 'content-encoding', undefined),
  ],
  [
    'a bad order id breaks the service',
    badId,
    'asked: DELETE /store/orders/0x10\ncame: 500 (application/json, request ',
    (answer, { path }) => {
      if (path.endsWith('/0x10')) answer.status = 500;
    },
  ],
  [
    'an order is cancelled twice',
    'answers 409 when order 1 is cancelled again',
    'came: 204',
    on(409, (answer) => {
      Object.assign(answer, { status: 204, text: '' });
    }),
  ],
  [
    'a cancelled order is said to have shipped',
    'answers 409 when order 1 is cancelled again',
    'expected: 409 order_already_cancelled',
    withBody(409, (body) => ({ ...body, ...cancelRefusal('shipped') })),
  ],
  [
    'Remaining stands still',
    counted,
    'x-ratelimit-remaining went from 50 to 50',
    on(410, ({ headers }) => {
      headers['x-ratelimit-remaining'] = '50';
      headers.ratelimit = String(headers.ratelimit).replace(/r=\d+/, 'r=50');
    }),
  ],
  [
    'a request beyond the limit is admitted',
    exhausted,
    'Remaining was',
    (() => {
      let spared = 0;
      return on(410, ({ headers }) => {
        if (spared++ > 0) return;
        const less = Number(headers['x-ratelimit-remaining']) - 1;
        headers['x-ratelimit-remaining'] = String(less);
        headers.ratelimit = String(headers.ratelimit).replace(/r=\d+/, `r=${less}`);
      });
    })(),
  ],
  [
    'Retry-After is missing on 429',
    exhausted,
    'header retry-after is missing',
    withHeader(429, 'retry-after', undefined),
  ],
  [
    'one operation knows no limit',
    limitedEverywhere,
    'asked: GET /store/orders\ncame: 200',
    (answer, { method, path }) => {
      if (method === 'GET' && path === '/store/orders') answer.status = 200;
    },
  ],
  [
    'Retry-After is too short',
    exhausted,
    'retry-after is 1, the window ends in',
    withHeader(429, 'retry-after', '1'),
  ],
  [
    'the message does not say how long to wait',
    exhausted,
    'the message does not say how long to wait',
    on(429, (answer) => {
      answer.text = answer.text.replace(/after \d+/, 'after 7777');
    }),
  ],
  [
    'the key is repeated in a response',
    gone,
    'the response repeats the API key',
    (answer, { authorization }) => {
      answer.headers.link = `<${authorization}>; rel="successor-version"`;
    },
  ],
];
