import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { handler as authorizer } from '../../lambdas/authorizer.ts';
import { hashToken } from '../../lambdas/keys/api-key.ts';
import { readKeyEntry } from '../../lambdas/keys/owner-record.ts';
import {
  answer,
  lost,
  type Reply,
  throttled,
  unreadable,
} from '../helpers/dynamodb/dynamodb-proxy.ts';
import {
  entryOf,
  exampleToken,
  keyPrefix,
  type Overrides,
  otherKeyPrefix,
  ownerHash,
  ownerId,
  ownerItem,
} from '../helpers/dynamodb/key-items.ts';
import { authorizerEvent, lambdaContext } from '../helpers/functions/events.ts';
import { functionUnderTest } from '../helpers/functions/function-under-test.ts';

const nowSeconds = Math.floor(Date.now() / 1_000);
const day = nowSeconds - (nowSeconds % 86_400);
// A minute that a faster clock can have started, so that it stays current while the tests run.
const aheadMinute = nowSeconds - (nowSeconds % 60) + 240;
const windows = { minuteWindow: aheadMinute, dayWindow: day };
const full = { ...windows, minuteCount: 60, dayCount: 60 };
const { awsRequestId: authorizerRequestId } = lambdaContext();
const { table, log, handler } = await functionUnderTest<typeof authorizer>('authorizer');
let token: string;
let tokens = 0;

beforeEach(() => {
  // Each test has a key of its own, because the function caches keys.
  token = exampleToken(keyPrefix, String(++tokens).padStart(20, '0'));
});

afterEach(() => {
  const [ownerPart, ownPart] = [token.slice(keyPrefix.length, -26), token.slice(-26)];
  // Every test: the log has neither the token nor its hashes.
  for (const secret of [ownerPart, ownPart, ownerHash, hashToken(token)]) {
    expect(log.text()).not.toContain(secret);
  }
});

function ask(): Promise<APIGatewayAuthorizerResult> {
  return handler(authorizerEvent(`Bearer ${token}`), lambdaContext());
}

const item = (overrides: Overrides) => ownerItem(overrides, { [hashToken(token)]: {} });
const keyId = () => readKeyEntry(item({}), hashToken(token))!.keyId;
const found = (overrides: Overrides) => answer({ Item: item(overrides) });
const written = (overrides: Overrides) => answer({ Attributes: item(overrides) });
const admits = () => [
  found({ ...windows, minuteCount: 18, dayCount: 29 }),
  written({ ...windows, minuteCount: 19, dayCount: 30 }),
];

describe('the authorizer', () => {
  it('R16: admits a valid key for every method of the stage', async () => {
    table.next.push(...admits());

    const result = await ask();

    expect(result).toEqual({
      principalId: keyId(),
      usageIdentifierKey: `${ownerId}_free`,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: 'arn:aws:execute-api:eu-central-1:123456789012:api1/staging/*/*',
          },
        ],
      },
      context: {
        ownerId,
        keyId: keyId(),
        plan: 'free',
        limit: 60,
        remaining: 41,
        reset: aheadMinute + 60,
        rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
        rateLimit: expect.stringMatching(/^"minute";r=41;t=[0-9]+, "day";r=970;t=[0-9]+$/),
        retryAfter: expect.any(Number),
      },
    });
    // The function logs nothing, because the access log has a line for each admitted request.
    expect(log.lines()).toEqual([]);
  });

  it('I18: marks a read-only key in the context, with the same calls', async () => {
    const state = item({ ...windows, minuteCount: 19, dayCount: 30 });
    entryOf(state, hashToken(token)).isReadOnly = { BOOL: true };
    table.next.push(admits()[0]!, answer({ Attributes: state }));

    expect((await ask()).context).toMatchObject({ isReadOnly: true, remaining: 41 });
    expect(table.requests).toHaveLength(2);
  });

  it('needs one write for a cached key, one read more for a new key, and sends DynamoDB no token', async () => {
    table.next.push(...admits(), ...admits().slice(1), ...admits().slice(1));

    for (let request = 0; request < 3; request++) await ask();

    const operations = table.requests.map(({ operation }) => operation);
    expect(operations).toEqual(['GetItem', 'UpdateItem', 'UpdateItem', 'UpdateItem']);
    expect(table.requests[0]!.input).toMatchObject({ ConsistentRead: true });
    for (const { input } of table.requests) {
      expect(input).toMatchObject({ TableName: 'api-keys', Key: { ownerHash: { S: ownerHash } } });
      expect(JSON.stringify(input)).not.toContain(token.slice(keyPrefix.length, -26));
      expect(JSON.stringify(input)).not.toContain(token.slice(-26));
    }
  });

  it('R24: denies a request above a limit, and returns everything that the 429 shows', async () => {
    table.next.push(found(full), written(full));

    const { policyDocument, usageIdentifierKey, context } = await ask();

    const code = 'rate_limit_exceeded';
    expect(policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
    expect(usageIdentifierKey).toBe(`${ownerId}_free`);
    expect(context).toMatchObject({ ownerId, keyId: keyId(), plan: 'free', code, remaining: 0 });
    expect(context?.message).toContain(`${context?.retryAfter} seconds`);
    expect(Number(context?.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(log.lines()).toMatchObject([{ RequestsRejected: 1, Reason: code, keyId: keyId() }]);
  });

  it('R26: records the request that begins a ban', async () => {
    const banDue = { ...full, rejectionWindow: aheadMinute, rejectionCount: 180 };
    const banned = { ...banDue, bannedUntil: aheadMinute };
    table.next.push(found(banDue), written(banned));

    await ask();

    expect(log.lines()).toMatchObject([
      { KeysBanned: 1, keyId: keyId() },
      { RequestsRejected: 1, Reason: 'api_key_banned' },
    ]);
  });

  it.each<[string, () => string | undefined]>([
    ['missing', () => undefined],
    ['malformed', () => `Bearer\t${token}`],
    ["the other stage's", () => `Bearer ${exampleToken(otherKeyPrefix)}`],
  ])('R18: refuses a key that is %s, without calling DynamoDB', async (_name, header) => {
    const event = authorizerEvent(header() as string);

    await expect(handler(event, lambdaContext())).rejects.toThrow(/^Unauthorized$/);

    expect(table.requests).toHaveLength(0);
  });

  it('R18: answers 401, after one read, to a key that is not in the table', async () => {
    table.next.push(answer({}));

    // The error has no stack, because Lambda would log it, and it would be most of a line that anybody can cause.
    await expect(ask()).rejects.toMatchObject({
      name: 'UnauthorizedError',
      message: 'Unauthorized',
      stack: '',
    });

    expect(table.requests).toHaveLength(1);
    expect(log.lines()).toMatchObject([
      { RequestsRejected: 1, Reason: 'unauthorized', authorizerRequestId },
    ]);
    expect(log.lines()[0]).not.toHaveProperty('keyId');
  });
});

describe('the authorizer, when DynamoDB fails,', () => {
  it.each<[string, Reply, object]>([
    ['loses every response', lost, { message: expect.stringContaining('socket hang up') }],
    ['sends unreadable responses', unreadable, { name: 'SyntaxError' }],
    ['throttles every attempt', throttled, { name: 'ProvisionedThroughputExceededException' }],
  ])(
    'fails after two attempts, and not with a 401, when DynamoDB %s',
    async (_name, reply, error) => {
      table.next.push(reply, reply);

      await expect(ask()).rejects.toMatchObject(error);

      expect(table.requests).toHaveLength(2);
      expect(log.lines()).toMatchObject([
        { level: 'ERROR', message: 'The authorizer failed', authorizerRequestId, error: {} },
      ]);
    },
  );
});
