import { randomBytes } from 'node:crypto';
import { tokenChecksum } from '../../lambdas/keys/api-key.ts';
import { apiKeyPrefixes, stageOfKey, stageSettings } from '../../lib/settings/stages.ts';
import {
  type DocumentedError,
  operationOf,
  operations,
  operationsWith,
} from '../../test/contract/contract.ts';
import { callLimitSettings } from '../admin/stage/call-limits.ts';
import { type Check, CheckSkipped } from './runner.ts';
import { type Answer, headerOf, numbersOf, rateLimitOf } from './stage/http-client.ts';
import { type CallOptions, codeOf, type Stage } from './stage/stage.ts';

/** A check of a stage. Its group begins with the numbers of rules in docs/requirements.md. */
export type StageCheck = Check<Stage>;

const unauthorized = { status: 401, code: 'unauthorized' };
const gone = { status: 410, code: 'gone' };
const alreadyCancelled = { status: 409, code: 'order_already_cancelled' };
const methodNotAllowed = { status: 405, code: 'method_not_allowed' };

/** Requests that the stage must refuse because of their key. */
const refusals: Readonly<Record<string, (key: string) => CallOptions>> = {
  // An empty header does not match the authorizer's expression. So API Gateway itself answers 401, like for a missing
  // header (AWS's API reference, Authorizer, identityValidationExpression).
  'an empty Authorization header': () => ({ authorization: '' }),
  'the Basic scheme': () => ({ authorization: 'Basic c3RvcmU6b3JkZXJz' }),
  'a key without a scheme': (key) => ({ authorization: key }),
  'a key without its last character': (key) => bearer(key.slice(0, -1)),
  'a key with a wrong checksum': (key) => bearer(key.replace(/.$/, otherDigit)),
  "another stage's prefix": (key) =>
    bearer(wellFormed(key.replace(/^.*_/, (own) => apiKeyPrefixes.find((each) => each !== own)!))),
  'a well-formed key of an owner that does not exist': (key) =>
    bearer(wellFormed(key.replace(/[^_](?=[^_]*$)/, otherDigit))),
  'a well-formed key of the same owner that was never issued': (key) =>
    bearer(wellFormed(key.replace(/.(?=.{6}$)/, otherDigit))),
  'a key in the query': (key) => ({ authorization: null, query: `?api_key=${key}` }),
};

// lib/api/fixed-routes.ts says why requests that the contract does not have get 404 and 405. They include HEAD, because
// the method GET does not answer HEAD (AWS's developer guide, x-amazon-apigateway-any-method).
const methods = ['GET', 'PUT', 'HEAD'];
/** Requests with a key, without a key, and with a malformed key. */
const withAndWithoutKey = [{}, { authorization: null }, { authorization: 'Bearer none' }];
const uncommonBody = { body: '{}', headers: { 'content-type': 'application/vnd.acme+json' } };

const badOrderIds = ['007', '+1', '1.0', 'abc', '9223372036854775808', '9'.repeat(500)];
const resuming = { headers: { range: 'bytes=1-' } };
const brokenJson = { body: '{', headers: { 'content-type': 'application/json' } };

/** The checks of which a run can do without, because they change something or need more rights. */
export interface FurtherChecks {
  /** A pending order, which is cancelled. */
  readonly cancelOrder?: string;
  /** Whether to use up the key's limit. */
  readonly limits?: boolean;
  /** The ARN of the SNS topic of the alarms. */
  readonly alarmTopic?: string;
}

/** The checks of a run. The check that uses up the key's limit comes last. */
export function selectChecks({ cancelOrder, limits, alarmTopic }: FurtherChecks): StageCheck[] {
  return [
    ...checksOf('R4, R16, R17, R18, I16, I18: Authentication', {
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
    }),
    ...checksOf('R27, I10: Unknown paths', {
      'answers 404 to paths that are not in the contract, whatever their content type': async (
        stage,
      ) => {
        for (const path of ['', '/store', '/pets', '/unknown', '/store/orders/1/unknown']) {
          for (const method of methods) {
            for (const options of [...withAndWithoutKey, uncommonBody]) {
              await expectUnknown(stage, method, path, options);
            }
          }
        }
      },
      'answers 405 to methods that a path of the contract lacks, and names those that it has':
        async (stage) => {
          for (const [template, those] of Map.groupBy(operations, (operation) => operation.path)) {
            const path = template.replaceAll(/\{\w+\}/g, '1');
            const known = those.map(({ method }) => method);
            for (const method of methods.filter((each) => !known.includes(each))) {
              for (const options of withAndWithoutKey) {
                const answer = await stage.ask({ name: 'unknownMethods', method, path }, options);
                stage.compare(answer, methodNotAllowed, [allowDifference(answer, known)]);
              }
            }
          }
        },
    }),
    ...checksOf('R1, R3, R8, R9, R15, I3, I7, I8, I9: Orders', {
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
    }),
    ...checksOf('R28, I27: Deprecated pet operation', {
      'answers 410 gone, with the documented sunset date': (stage) => {
        const documented = new Date(`${operationOf('getPet')['x-sunset']}T00:00:00Z`).toUTCString();
        return stage.expect('getPet', {}, gone, (answer) => {
          const sunset = headerOf(answer, 'sunset');
          return [sunset !== documented && `sunset is ${sunset}, expected ${documented}`];
        });
      },
    }),
    ...checksOf('R22, R23, I20, I24: Rate limits', {
      'lowers Remaining by one for each admitted request, and not for others': (stage) =>
        inOneWindow(stage, isCountdown),
    }),

    ...(alarmTopic
      ? checksOf('docs/runbook.md: Alarms that reach nobody', {
          'has somebody who gets its alarms': (stage) => expectSubscriber(stage, alarmTopic),
        })
      : []),
    ...(cancelOrder
      ? checksOf('R12, R13, I2, I4: Cancel an order', {
          'cancels the order': (stage) =>
            stage.expect('cancelOrder', { orderId: cancelOrder }, { status: 204 }),
          'answers 409 when the order is cancelled again': (stage) =>
            stage.expect('cancelOrder', { orderId: cancelOrder }, alreadyCancelled),
        })
      : []),
    ...(limits
      ? checksOf('R19, R24, I14, I22, I23: Used-up rate limits', {
          'admits exactly what Remaining promised, then answers 429 on every operation': (stage) =>
            inOneWindow(stage, isExhausted),
        })
      : []),
  ];
}

/** Creates the checks of one group from their titles and functions. */
function checksOf(
  group: string,
  checks: Readonly<Record<string, StageCheck['run']>>,
): StageCheck[] {
  return Object.entries(checks).map(([title, run]) => ({ group, title, run }));
}

function bearer(key: string): CallOptions {
  return { authorization: `Bearer ${key}` };
}

function otherDigit(digit: string): string {
  return digit === '0' ? '1' : '0';
}

/** Gives a changed key the right checksum, so that it is well-formed although it was issued to nobody. */
function wellFormed(key: string): string {
  const body = key.slice(0, -6);
  return body + tokenChecksum(body);
}

async function expectUnknown(stage: Stage, method: string, path: string, options: CallOptions) {
  const answer = await stage.ask({ name: 'MISSING_AUTHENTICATION_TOKEN', method, path }, options);
  stage.compare(answer, { status: 404, code: 'not_found' });
}

/** Compares `Allow` without OPTIONS, because a stage that allows an origin has OPTIONS on every path. */
function allowDifference(answer: Answer, known: readonly string[]) {
  const allow = headerOf(answer, 'allow')?.replace(', OPTIONS', '');
  const isComplete = allow?.split(', ').sort().join() === known.toSorted().join();
  return !isComplete && `allow is ${allow}, expected ${known.join(', ')}`;
}

function expectList(stage: Stage): Promise<Answer> {
  const options = { query: '?status=pending&limit=1', headers: { 'accept-encoding': 'zstd' } };
  return stage.expect('listOrders', options, { status: 200 }, (answer) => {
    const coding = headerOf(answer, 'content-encoding');
    return [
      coding !== 'zstd' && `content-encoding is ${coding}, expected zstd`,
      answer.headers.has('content-length') && 'has a content-length, so it was not streamed',
    ];
  });
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
const attempts = 3;

type Allowance = ReturnType<typeof rateLimitOf>;

/** Makes a check again if its window has ended during the check, which then returns false. */
async function inOneWindow(
  stage: Stage,
  check: (stage: Stage, before: Allowance) => Promise<boolean>,
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = rateLimitOf(await stage.expect('getPet', {}, gone));
    if (await check(stage, before)) return;
  }
  throw new Error(`a window ended in each of ${attempts} attempts; is the stage slow?`);
}

async function isCountdown(stage: Stage, before: Allowance): Promise<boolean> {
  await stage.call('getPet', { authorization: null });
  await expectUnknown(stage, 'GET', '/store/unknown', {});
  const after = rateLimitOf(await stage.expect('getPet', {}, gone));
  if (after.reset % 60 !== 0) {
    throw new Error(`x-ratelimit-reset ${after.reset} is not the end of a minute`);
  }
  if (after.reset !== before.reset) return false;
  if (after.remaining === before.remaining - 1) return true;
  throw new Error(`x-ratelimit-remaining went from ${before.remaining} to ${after.remaining}`);
}

/** Sends more requests than remain, and one to each operation. */
async function isExhausted(stage: Stage, { remaining, reset }: Allowance): Promise<boolean> {
  if (remaining > mostRequests) {
    throw new CheckSkipped(`the key has ${remaining} requests left; use a key of the Free plan`);
  }
  const answers: Answer[] = [];
  while (answers.length <= remaining) {
    const calls = Array.from({ length: requestsAtOnce }, () => stage.call('getPet'));
    answers.push(...(await Promise.all(calls)));
  }
  const admitted = answers.filter(({ status }) => status !== 429);
  const refused = answers.filter(({ status }) => status === 429);
  for (const { operationId } of operations) {
    refused.push(await stage.call(operationId, { orderId: absentOrderId() }));
  }
  const isOther = (answer: Answer) => answer.status < 429 && rateLimitOf(answer).reset !== reset;
  if ([...admitted, ...refused].some(isOther)) return false;
  for (const answer of admitted) stage.compare(answer, gone);
  for (const answer of refused) compareLimited(stage, answer);
  if (admitted.length === remaining) return true;
  throw new Error(
    `${admitted.length} of ${answers.length} requests were admitted, but Remaining was ${remaining}`,
  );
}

function compareLimited(stage: Stage, answer: Answer): void {
  const { remaining } = rateLimitOf(answer);
  const retryAfter = headerOf(answer, 'retry-after');
  // The seconds until the minute's window resets.
  const [, seconds = Number.NaN] = numbersOf(answer, 'ratelimit');
  stage.compare(answer, { status: 429 }, [
    remaining !== 0 && `x-ratelimit-remaining is ${remaining} on a 429`,
    codeOf(answer) === 'rate_limit_exceeded' &&
      Number(retryAfter) !== Math.max(1, seconds) &&
      `retry-after is ${retryAfter}, the minute ends in ${seconds} seconds`,
    !answer.text.includes(` ${retryAfter} second`) && 'the message does not say how long to wait',
  ]);
}

/** Checks that an alarm would reach somebody. Reads the topic of the alarms, with AWS credentials. */
async function expectSubscriber({ key }: Stage, TopicArn: string): Promise<void> {
  // Loaded here, because no other check needs it.
  const { SNS } = await import('@aws-sdk/client-sns');
  const client = new SNS({ ...callLimitSettings(), region: TopicArn.split(':')[3]! });
  const { Attributes = {} } = await client.getTopicAttributes({ TopicArn });
  if (Number(Attributes.SubscriptionsConfirmed) > 0) return;
  const stage = stageOfKey(key);
  const hasNoEmail = stage && stageSettings(stage).alarmEmail === undefined;
  if (hasNoEmail && Number(Attributes.SubscriptionsPending) === 0) {
    throw new CheckSkipped('nobody has subscribed, and the stage has no alarmEmail');
  }
  throw new Error('nobody has confirmed a subscription');
}
