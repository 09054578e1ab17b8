import { parseAuthorization } from '../../../lambdas/keys/api-key.ts';
import { errorsOf, operationOf } from '../../../test/contract/contract.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { type Answer, rateLimitOf, type Send } from '../stage/http-client.ts';

/** What is wrong in an answer that would have been right. */
export type Mistake = (answer: Answer) => Partial<Answer> | false;

/** Sends requests with another sender, and puts a mistake into each answer. */
export function spoilt(send: Send, mistake: Mistake): Send {
  return async (question) => {
    const answer = await send(question);
    return { ...answer, ...mistake(answer) };
  };
}

// A check that cannot fail is worthless. So a test puts each mistake into the responses of the service, and the named
// check has to notice it. tools/local/test/e2e/answers.test.ts shows that the checks pass without mistakes.

const missingKey = 'refuses a missing key on every operation';
const unknownPath =
  'answers 404 to paths that are not in the contract, whatever their content type';
const unknownMethod =
  'answers 405 to methods that a path of the contract lacks, and names those that it has';
const gone = 'answers 410 gone, with the documented sunset date';
const listed = 'returns all orders as a JSON array, streamed and compressed, whatever the query';
const counted = 'lowers Remaining by one for each admitted request, and not for others';
const exhausted = 'admits exactly what Remaining promised, then answers 429 on every operation';

const { responses } = operationOf('listOrders');
const notResumable = errorsOf(responses).find(({ code }) => code === 'range_not_supported');

/** Sets a header in the answers of one status, or removes it. */
const withHeader =
  (status: number, name: string, value?: string): Mistake =>
  (answer) => {
    const others = [...answer.headers].filter(([each]) => each !== name);
    const changed = value === undefined ? [] : [[name, [value]] as const];
    return answer.status === status && { headers: new Map([...others, ...changed]) };
  };

/** Changes the number of remaining requests in both headers that have it. */
function withRemaining({ status, headers }: Answer, remaining: number) {
  const windows = `${headers.get('ratelimit')}`.replace(/r=\d+/, `r=${remaining}`);
  const changed = { 'x-ratelimit-remaining': [`${remaining}`], ratelimit: [windows] };
  return status === 410 && { headers: new Map([...headers, ...Object.entries(changed)]) };
}

/** The check that has to notice a mistake, a part of its report, and the mistake. */
export const mistakes: [check: string, report: string, mistake: Mistake][] = [
  // Headers
  [missingKey, 'header x-ratelimit-reset is missing', withHeader(401, 'x-ratelimit-reset')],
  [missingKey, 'are 60, 0, 0, expected 0, 0, 0', withHeader(401, 'x-ratelimit-limit', '60')],
  [unknownPath, 'are 60, 0, 0, expected 0, 0, 0', withHeader(404, 'x-ratelimit-limit', '60')],
  [unknownMethod, 'allow is PUT, expected GET', withHeader(405, 'allow', 'PUT')],
  [gone, 'expected Sun, 01 Nov 2026', withHeader(410, 'sunset', 'Fri, 01 Jan 2027 00:00:00 GMT')],
  [gone, 'not as in ratelimit', withHeader(410, 'x-ratelimit-remaining', '2')],
  [exhausted, 'retry-after is 1, the minute ends in', withHeader(429, 'retry-after', '1')],
  [listed, 'has a content-length, so it was not streamed', withHeader(200, 'content-length', '1')],
  [listed, 'content-encoding is undefined, expected zstd', withHeader(200, 'content-encoding')],

  // Statuses
  [
    // With this mistake, a key with a correct checksum is served without being looked up.
    'refuses a well-formed key of an owner that does not exist',
    'response: 200',
    ({ question }) =>
      !!parseAuthorization(question.headers?.authorization, keyPrefix) && { status: 200 },
  ],
  [missingKey, 'response: 410', ({ question }) => /pets/.test(question.path) && { status: 410 }],
  [
    // With this mistake, an unknown path has another response for a client with a key.
    unknownPath,
    'expected: 404 not_found, as in openapi.yaml',
    ({ question }) => !!question.headers?.authorization?.includes(keyPrefix) && { status: 500 },
  ],
  [
    exhausted,
    'request: GET /store/orders\nresponse: 503',
    ({ question }) => question.path === '/store/orders' && { status: 503 },
  ],
  // The order is already cancelled.
  ['cancels the order', 'expected: 204', () => false],

  // Bodies
  [
    // With this mistake, the response is another one that the contract documents.
    'answers 400 to a JSON body that does not parse',
    'expected: 400 invalid_body, as in openapi.yaml',
    ({ status, question }) =>
      status === 400 && question.path === '/store/orders' && { text: JSON.stringify(notResumable) },
  ],
  [
    listed,
    "Expected ',' or ']' after array element",
    ({ status, text }) => status === 200 && { text: text.slice(0, -1) },
  ],
  [
    exhausted,
    'the message does not say how long to wait',
    ({ text }) => ({ text: text.replace(/after \d+/, 'after 7777') }),
  ],

  // Counts
  [counted, 'went from 50 to 50', (answer) => withRemaining(answer, 50)],
  [counted, 'is not the end of a minute', withHeader(410, 'x-ratelimit-reset', '61')],
  [
    // With this mistake, the first response promises one request less than are admitted.
    exhausted,
    'Remaining was 6',
    (answer) => rateLimitOf(answer).remaining === 7 && withRemaining(answer, 6),
  ],
];
