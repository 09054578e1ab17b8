import { parseAuthorization } from '../../../lambdas/keys/api-key.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import type { Answer, Send } from '../stage/http-client.ts';

/** An answer of the service that can be changed before the smoke test gets it. */
interface MutableAnswer extends Answer {
  status: number;
  headers: Map<string, string[]>;
  text: string;
}

/** Changes an answer that would have been right. */
export type Mistake = (answer: MutableAnswer) => void;

/** Sends requests with another sender, and puts a mistake into each answer. */
export function spoilt(send: Send, mistake: Mistake): Send {
  return async (question) => {
    const answer = structuredClone(await send(question)) as MutableAnswer;
    mistake(answer);
    return answer;
  };
}

// A check that cannot fail is worthless. So a test puts each mistake into the responses of the service, and the named
// check has to notice it. tools/local/test/e2e/answers.test.ts shows that the checks pass without mistakes.

const missingHeader = 'refuses a missing key on every operation';
const unknownPath =
  'answers 404 to paths that are not in the contract, whatever their content type';
const unknownMethod =
  'answers 405 to methods that a path of the contract lacks, and names those that it has';
const gone = 'answers 410 gone, with the documented sunset date';
const listed = 'returns all orders as a JSON array, streamed and compressed, whatever the query';
const counted = 'lowers Remaining by one for each admitted request, and not for others';
const exhausted = 'admits exactly what Remaining promised, then answers 429 on every operation';

/** Spoils the answers of one status. */
const on =
  (status: number, spoil: (answer: MutableAnswer) => void): Mistake =>
  (answer) => {
    if (answer.status === status) spoil(answer);
  };

/** Sets a header, or removes it. */
const withHeader = (status: number, name: string, value?: string) =>
  on(status, ({ headers }) => {
    if (value === undefined) headers.delete(name);
    else headers.set(name, [value]);
  });

const withStatus =
  (status: number, isSpoilt: (authorization: string, request: string) => boolean): Mistake =>
  (answer) => {
    const { method, path, headers } = answer.question;
    if (isSpoilt(headers?.authorization ?? '', `${method} ${path}`)) answer.status = status;
  };

/** Changes the number of remaining requests in both headers that have it. */
function setRemaining({ headers }: MutableAnswer, remaining: number): void {
  headers.set('x-ratelimit-remaining', [String(remaining)]);
  headers.set('ratelimit', [String(headers.get('ratelimit')).replace(/r=\d+/, `r=${remaining}`)]);
}

let isOneRequestTooMany = true;

/** The check that has to notice a mistake, a part of its report, and the mistake. */
export const mistakes: [check: string, report: string, mistake: Mistake][] = [
  // Headers
  [missingHeader, 'header x-ratelimit-reset is missing', withHeader(401, 'x-ratelimit-reset')],
  [missingHeader, 'are 60, 0, 0, expected 0, 0, 0', withHeader(401, 'x-ratelimit-limit', '60')],
  [unknownPath, 'are 60, 0, 0, expected 0, 0, 0', withHeader(404, 'x-ratelimit-limit', '60')],
  [unknownMethod, 'allow is PUT, expected GET', withHeader(405, 'allow', 'PUT')],
  [gone, 'expected Sun, 01 Nov 2026', withHeader(410, 'sunset', 'Fri, 01 Jan 2027 00:00:00 GMT')],
  [gone, 'not as in ratelimit', withHeader(410, 'x-ratelimit-remaining', '2')],
  [exhausted, 'retry-after is 1, the minute ends in', withHeader(429, 'retry-after', '1')],
  [listed, 'has a content-length, so it was not streamed', withHeader(200, 'content-length', '1')],
  [listed, 'content-encoding is undefined, expected zstd', withHeader(200, 'content-encoding')],
  [
    gone,
    'the response repeats the API key',
    ({ headers, question }) => {
      headers.set('x-amz-note', [String(question.headers?.authorization)]);
    },
  ],

  // Statuses
  [
    // With this mistake, a key with a correct checksum is served without being looked up.
    'refuses a well-formed key of an owner that does not exist',
    'response: 200',
    withStatus(200, (authorization) => !!parseAuthorization(authorization, keyPrefix)),
  ],
  [
    'refuses a missing key on every operation',
    'response: 410',
    withStatus(410, (_, request) => request.startsWith('GET /pets')),
  ],
  [
    // With this mistake, an unknown path has another response for a client with a key.
    unknownPath,
    'expected: 404 not_found, as in openapi.yaml',
    withStatus(500, (authorization) => authorization.includes(keyPrefix)),
  ],
  [
    exhausted,
    'request: GET /store/orders\nresponse: 503',
    withStatus(503, (_, request) => request === 'GET /store/orders'),
  ],
  // The order is already cancelled.
  ['cancels order 1', 'expected: 204', () => {}],

  // Bodies
  [
    listed,
    "Expected ',' or ']' after array element",
    on(200, (answer) => {
      answer.text = answer.text.slice(0, -1);
    }),
  ],
  [
    exhausted,
    'the message does not say how long to wait',
    on(429, (answer) => {
      answer.text = answer.text.replace(/after \d+/, 'after 7777');
    }),
  ],

  // Counts
  [counted, 'went from 50 to 50', on(410, (answer) => setRemaining(answer, 50))],
  [
    counted,
    'is not the end of a minute',
    on(410, ({ headers }) => {
      headers.set('x-ratelimit-reset', [String(Number(headers.get('x-ratelimit-reset')) + 1)]);
    }),
  ],
  [
    exhausted,
    'Remaining was',
    on(410, (answer) => {
      // The first response promises one request less than are admitted.
      const remaining = Number(answer.headers.get('x-ratelimit-remaining'));
      if (isOneRequestTooMany) setRemaining(answer, remaining - 1);
      isOneRequestTooMany = false;
    }),
  ],
];
