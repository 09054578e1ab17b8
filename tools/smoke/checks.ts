import { randomBytes } from 'node:crypto';
import { tokenChecksum } from '../../lambdas/keys/api-key.ts';
import { apiKeyPrefixes } from '../../lib/settings/stages.ts';
import {
  type DocumentedError,
  operationOf,
  operations,
  operationsWith,
} from '../../test/contract/contract.ts';
import { type Check, CheckSkipped } from './runner.ts';
import type { Answer } from './stage/http-client.ts';
import { headerOf, minuteSecondsOf, rateLimitOf } from './stage/rate-limit.ts';
import { type CallOptions, CheckFailed, codeOf, type Stage } from './stage/stage.ts';

/** A check of a stage. Its group begins with the numbers of rules in docs/requirements.md. */
export type StageCheck = Check<Stage>;

const unauthorized = { status: 401, code: 'unauthorized' };
const gone = { status: 410, code: 'gone' };

/** Requests that the stage must refuse because of their key. */
const refusals: Readonly<Record<string, (key: string) => CallOptions>> = {
  'a missing Authorization header': () => ({ authorization: null }),
  // An empty header does not match the authorizer's expression. So API Gateway itself answers 401, like for a missing
  // header (AWS's API reference, Authorizer, identityValidationExpression).
  'an empty Authorization header': () => ({ authorization: '' }),
  'the Basic scheme': () => ({ authorization: 'Basic c3RvcmU6b3JkZXJz' }),
  'a key without a scheme': (key) => ({ authorization: key }),
  'a key without its last character': (key) => bearer(key.slice(0, -1)),
  'a key with a wrong checksum': (key) => bearer(changed(key, key.length - 1)),
  "another stage's prefix": (key) => {
    const other = apiKeyPrefixes.find((prefix) => !key.startsWith(prefix));
    return bearer(withChecksum(other + key.slice(prefixLength(key))));
  },
  'a well-formed key of an owner that does not exist': (key) =>
    bearer(withChecksum(changed(key, prefixLength(key)))),
  'a well-formed key of the same owner that was never issued': (key) =>
    bearer(withChecksum(changed(key, key.length - checksumLength - 1))),
  'a key in the query': (key) => ({ authorization: null, query: `?api_key=${key}` }),
};

const authenticationChecks = checksOf('R4, R16, R17, R18, I16, I18: Authentication', {
  ...Object.fromEntries(
    Object.entries(refusals).map(([what, optionsOf]) => [
      `refuses ${what}`,
      (stage: Stage) => stage.expect('listOrders', optionsOf(stage.key), unauthorized),
    ]),
  ),
  'refuses a missing key on every operation': async (stage) => {
    for (const { operationId } of operations) {
      await stage.expect(operationId, { authorization: null, orderId: '1' }, unauthorized);
    }
  },
  'accepts the scheme in any case, and two spaces after it': async (stage) => {
    for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
      await stage.expect('getPet', { authorization: `${scheme} ${stage.key}` }, gone);
    }
  },
});

// lib/api/fixed-routes.ts says why these requests get 404 and 405. They include HEAD, because the method GET does not
// answer HEAD (AWS's developer guide, x-amazon-apigateway-any-method).

/** Requests with a key, without a key, and with a malformed key. */
const withAndWithoutKey = [{}, { authorization: null }, { authorization: 'Bearer none' }];
const uncommonBody = { body: '{}', headers: { 'content-type': 'application/vnd.acme+json' } };

const routeChecks = checksOf('R27, I10: Unknown paths', {
  'answers 404 to paths that are not in the contract, whatever their content type': async (
    stage,
  ) => {
    for (const path of ['', '/store', '/pets', '/unknown', '/store/orders/1/unknown']) {
      for (const method of ['GET', 'PUT', 'HEAD']) {
        for (const options of [...withAndWithoutKey, uncommonBody]) {
          await stage.expectUnknown(method, path, [], options);
        }
      }
    }
  },
  'answers 405 to methods that a path of the contract lacks, and names those that it has': async (
    stage,
  ) => {
    for (const [path, those] of Map.groupBy(operations, (operation) => operation.path)) {
      const known = those.map(({ method }) => method);
      for (const method of ['GET', 'PUT', 'HEAD'].filter((each) => !known.includes(each))) {
        for (const options of withAndWithoutKey) {
          await stage.expectUnknown(method, path.replaceAll(/\{\w+\}/g, '1'), known, options);
        }
      }
    }
  },
});

const badOrderIds = ['007', '+1', '1.0', 'abc', '9223372036854775808', '9'.repeat(500)];
const resuming = { headers: { range: 'bytes=1-' } };
const brokenJson = { body: '{', headers: { 'content-type': 'application/json' } };

const orderChecks = checksOf('R1, R3, R8, R9, R15, I3, I7, I8, I9: Orders', {
  'returns all orders as a JSON array, streamed and compressed, whatever the query': expectList,
  'answers 404 to an order that does not exist': (stage) =>
    expectOnEach(stage, { status: 404, code: 'order_not_found' }),
  'answers 400 to an order id that is not a canonical int64': async (stage) => {
    for (const orderId of badOrderIds) {
      await expectOnEach(stage, { status: 400, code: 'invalid_order_id' }, { orderId });
    }
  },
  'answers 400 to a request that resumes a list': (stage) =>
    expectOnEach(stage, { status: 400, code: 'range_not_supported' }, resuming),
  'answers 400 to a JSON body that does not parse': (stage) =>
    expectOnEach(stage, { status: 400, code: 'invalid_body' }, brokenJson),
});

const retiredOperationChecks = checksOf('R28, I27: Deprecated pet operation', {
  'answers 410 gone, with the documented sunset date': async (stage) => {
    const sunset = headerOf(await stage.expect('getPet', {}, gone), 'sunset');
    const documented = new Date(`${operationOf('getPet')['x-sunset']}T00:00:00Z`).toUTCString();
    if (sunset === documented) return;
    throw new CheckFailed(`sunset is ${sunset}, expected ${documented}`);
  },
});

const countingChecks = checksOf('R22, R23, I20, I24: Rate limits', {
  'lowers Remaining by one for each admitted request, and not for others': expectCountdown,
});

/** The checks of every run, which change no order. */
export const usualChecks: readonly StageCheck[] = [
  ...authenticationChecks,
  ...routeChecks,
  ...orderChecks,
  ...retiredOperationChecks,
  ...countingChecks,
];

/** Checks that cancel an order. */
export function cancellationChecks(orderId: string): StageCheck[] {
  return checksOf('R12, R13, I2, I4: Cancel an order', {
    [`cancels order ${orderId}`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 204 }),
    [`answers 409 when order ${orderId} is cancelled again`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 409, code: 'order_already_cancelled' }),
  });
}

/** The check that uses up the key's limit. */
export const exhaustionChecks = checksOf('R19, R24, I14, I22, I23: Used-up rate limits', {
  'admits exactly what Remaining promised, then answers 429 on every operation': expectExhaustion,
});

/** Creates the checks of one group from their titles and functions. */
function checksOf(
  group: string,
  checks: Readonly<Record<string, StageCheck['run']>>,
): StageCheck[] {
  return Object.entries(checks).map(([title, run]) => ({ group, title, run }));
}

const checksumLength = 6;

function bearer(key: string): CallOptions {
  return { authorization: `Bearer ${key}` };
}

function prefixLength(key: string): number {
  return key.lastIndexOf('_') + 1;
}

function changed(key: string, index: number): string {
  const replacement = key[index] === '0' ? '1' : '0';
  return key.slice(0, index) + replacement + key.slice(index + 1);
}

/** Gives a changed key the right checksum, so that it is well-formed although it was issued to nobody. */
function withChecksum(key: string): string {
  const body = key.slice(0, -checksumLength);
  return body + tokenChecksum(body);
}

async function expectList(stage: Stage): Promise<void> {
  const options = { query: '?status=pending&limit=1', headers: { 'accept-encoding': 'zstd' } };
  const answer = await stage.call('listOrders', options);
  const coding = headerOf(answer, 'content-encoding');
  stage.compare('listOrders', answer, { status: 200 }, [
    ...(coding === 'zstd' ? [] : [`content-encoding is ${coding}, expected zstd`]),
    ...(answer.headers.has('content-length')
      ? ['has a content-length, so it was not streamed']
      : []),
  ]);
}

/** Sends a request that must fail to every operation that documents its error. */
async function expectOnEach(stage: Stage, expected: DocumentedError, options: CallOptions = {}) {
  for (const { operationId } of operationsWith(expected)) {
    await stage.expect(operationId, { orderId: absentOrderId(), ...options }, expected);
  }
}

/** A random negative id, which no order is likely to have. */
function absentOrderId(): string {
  return `-${(randomBytes(8).readBigUInt64BE() >> 2n) + 2n ** 62n}`;
}

// The maximum number of requests, which is enough for a key of the Business plan. More requests would be a load test.
const mostRequests = 2_000;
const requestsAtOnce = 10;
/** The number of attempts, because a window can end during a check. */
const attempts = 3;

async function expectCountdown(stage: Stage): Promise<void> {
  let difference = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = rateLimitOf(await stage.expect('getPet', {}, gone));
    await stage.call('getPet', { authorization: null });
    await stage.expectUnknown('GET', '/store/unknown');
    const after = rateLimitOf(await stage.expect('getPet', {}, gone));
    if (after.reset % 60 !== 0) {
      throw new CheckFailed(`x-ratelimit-reset ${after.reset} is not the end of a minute`);
    }
    if (after.remaining === before.remaining - 1) return;
    difference = `x-ratelimit-remaining went from ${before.remaining} to ${after.remaining}`;
    // If the reset has changed, a new window has started, or the headers now describe the other window: try again.
    if (before.reset === after.reset) break;
  }
  throw new CheckFailed(difference);
}

async function expectExhaustion(stage: Stage): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { remaining, reset } = rateLimitOf(await stage.expect('getPet', {}, gone));
    if (remaining > mostRequests) {
      throw new CheckSkipped(`the key has ${remaining} requests left; use a key of the Free plan`);
    }
    if (await isExhausted(stage, remaining, reset)) return;
  }
  throw new CheckFailed(
    `the window ended ${attempts} times before the limit was reached; check whether the stage is slow`,
  );
}

/** Sends more requests than remain, and one to each operation. Returns false if the window ended before all were sent. */
async function isExhausted(stage: Stage, remaining: number, reset: number): Promise<boolean> {
  const answers: Answer[] = [];
  while (answers.length <= remaining) {
    const calls = Array.from({ length: requestsAtOnce }, () => stage.call('getPet'));
    answers.push(...(await Promise.all(calls)));
  }
  const others = [];
  for (const { operationId } of operations) {
    const answer = await stage.call(operationId, { orderId: absentOrderId() });
    others.push({ operationId, answer });
  }
  const admitted = answers.filter(({ status }) => status !== 429);
  const all = [...admitted, ...others.map(({ answer }) => answer)];
  if (all.some((answer) => answer.status < 429 && rateLimitOf(answer).reset !== reset))
    return false;
  for (const answer of admitted) stage.compare('getPet', answer, gone);
  for (const answer of answers) if (answer.status === 429) compareLimited(stage, 'getPet', answer);
  for (const { operationId, answer } of others) compareLimited(stage, operationId, answer);
  if (admitted.length === remaining) return true;
  throw new CheckFailed(
    `${admitted.length} of ${answers.length} requests were admitted, but Remaining was ${remaining}`,
  );
}

function compareLimited(stage: Stage, operationId: string, answer: Answer): void {
  const { remaining } = rateLimitOf(answer);
  const retryAfter = headerOf(answer, 'retry-after');
  const seconds = Math.max(1, minuteSecondsOf(answer));
  const isWrong = codeOf(answer) === 'rate_limit_exceeded' && Number(retryAfter) !== seconds;
  stage.compare(operationId, answer, { status: 429 }, [
    ...(remaining === 0 ? [] : [`x-ratelimit-remaining is ${remaining} on a 429`]),
    ...(isWrong ? [`retry-after is ${retryAfter}, the minute ends in ${seconds} seconds`] : []),
    ...(answer.text.includes(` ${retryAfter} second`)
      ? []
      : ['the message does not say how long to wait']),
  ]);
}
