import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { hashToken } from '../../lambdas/shared/api-key.ts';
import { readKeyEntry } from '../../lambdas/shared/owner-record.ts';
import { attemptsOf } from '../helpers/attempts.ts';
import { type CapturedLines, captureLines } from '../helpers/captured-lines.ts';
import {
  exampleToken,
  type Overrides,
  ownerHash,
  ownerId,
  ownerItem,
} from '../helpers/dynamodb/key-items.ts';
import { authorizerEvent, lambdaContext } from '../helpers/functions/events.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';

Object.assign(process.env, functionEnvironment);
const { handler } = await import('../../lambdas/authorizer.ts');

const dynamodb = mockClient(DynamoDBClient);
const nowSeconds = Math.floor(Date.now() / 1_000);
const day = nowSeconds - (nowSeconds % 86_400);
// The windows are slightly ahead, so that they stay the current ones while the tests run.
const aheadMinute = nowSeconds - (nowSeconds % 60) + 120;
const windows = { minuteWindow: aheadMinute, dayWindow: day };
const full = { ...windows, minuteCount: 60, dayCount: 60 };
let captured: CapturedLines;
let token: string;
let tokens = 0;

beforeEach(() => {
  dynamodb.reset();
  captured = captureLines();
  // The environment has the keys of the other tests in its cache, so this is a new one.
  token = exampleToken('so_test_', String(++tokens).padStart(20, '0'));
});

afterEach(() => captured.release());

afterAll(() => dynamodb.restore());

const ask = (header = `Bearer ${token}`) => handler(authorizerEvent(header), lambdaContext());
const item = (overrides: Overrides) => ownerItem(overrides, { [hashToken(token)]: {} });
const keyId = () => readKeyEntry(item({}), hashToken(token))!.keyId;

/** @param overrides undefined for an owner that does not exist */
function reads(overrides: Overrides | undefined): void {
  dynamodb.on(GetItemCommand).resolves(overrides ? { Item: item(overrides) } : {});
}

function writes(overrides: Overrides): void {
  dynamodb.on(UpdateItemCommand).resolves({ Attributes: item(overrides) });
}

function conditionFails(overrides: Overrides): void {
  dynamodb.on(UpdateItemCommand).rejects(
    new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      Item: item(overrides),
    }),
  );
}

function admits(): void {
  reads({ ...windows, minuteCount: 18, dayCount: 29 });
  writes({ ...windows, minuteCount: 19, dayCount: 30 });
}

function refuses(overrides: Overrides = full): void {
  reads(overrides);
  writes(overrides);
}

describe('the authorizer', () => {
  it('R16: admits a valid key for every method of the stage', async () => {
    admits();

    const result = await ask();

    expect(result).toEqual({
      principalId: keyId(),
      usageIdentifierKey: ownerId,
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
  });

  it('makes the policy the same for a method whose path holds slashes and stars', async () => {
    admits();
    const event = authorizerEvent(`Bearer ${token}`);
    event.methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api1/prod/DELETE/v1/a/*/../b';

    const { policyDocument } = await handler(event, lambdaContext());

    expect(policyDocument.Statement).toMatchObject([
      { Resource: 'arn:aws:execute-api:eu-central-1:123456789012:api1/prod/*/*' },
    ]);
  });

  it("asks for the hash of the token's owner part, and never sends the token", async () => {
    admits();

    await ask();

    const inputs = dynamodb.calls().map((call) => call.args[0].input);
    expect(inputs).toMatchObject([
      { TableName: 'api-keys', Key: { ownerHash: { S: ownerHash } }, ConsistentRead: true },
      { TableName: 'api-keys', Key: { ownerHash: { S: ownerHash } } },
    ]);
    expect(JSON.stringify(inputs)).not.toContain(token.slice(8, 28));
    expect(JSON.stringify(inputs)).not.toContain(token.slice(28));
  });

  it.each([
    ['rate_limit_exceeded', { minuteCount: 60, dayCount: 60 }],
    ['quota_exceeded', { minuteCount: 3, dayCount: 1_000 }],
    ['api_key_banned', { minuteCount: 60, dayCount: 60, bannedUntil: nowSeconds + 90 }],
  ])('R24: denies with %s, and what a 429 needs', async (code, uses) => {
    refuses({ ...windows, ...uses });

    const result = await ask();

    expect(result.policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
    expect(result.usageIdentifierKey).toBe(ownerId);
    const { context } = result;
    expect(context).toMatchObject({ ownerId, keyId: keyId(), plan: 'free', code, remaining: 0 });
    expect(context?.message).toContain(`${context?.retryAfter} seconds`);
    expect(Number(context?.retryAfter)).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ['allow', () => admits()],
    ['deny', () => refuses()],
  ])('gives nothing but texts and numbers that fit into a header: %s', async (_, given) => {
    given();

    const { context } = await ask();

    for (const value of Object.values(context ?? {})) {
      expect(['string', 'number']).toContain(typeof value);
      expect(String(value)).toMatch(/^[ -~]+$/);
    }
  });

  it('gives texts for the body of a 429 that fit into JSON as they are', async () => {
    refuses();

    const { context } = await ask();

    for (const name of ['code', 'message', 'retryAfter']) {
      // Printable ASCII without the characters that end a JSON string.
      expect(String(context?.[name])).toMatch(/^[ !#-[\]-~]+$/);
    }
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of another scheme', `Basic ${exampleToken()}`],
    ['with two spaces', `Bearer  ${exampleToken()}`],
    ['with one character changed', `Bearer ${exampleToken().slice(0, -1)}!`],
    ["the other stage's", `Bearer ${exampleToken('so_live_')}`],
  ])('R18: refuses a key that is %s, without a call', async (_name, header) => {
    const event = { ...authorizerEvent(''), authorizationToken: header as string };

    await expect(handler(event, lambdaContext())).rejects.toThrow(/^Unauthorized$/);

    expect(dynamodb.calls()).toHaveLength(0);
  });

  it.each([
    ['of no owner', undefined, 1],
    ['of a suspended owner', { ...windows, status: 'suspended' }, 1],
    ['expired', { ...windows, expiresAt: nowSeconds - 1 }, 1],
  ])('R18: refuses a key that is %s, all in one way', async (_name, found, calls) => {
    reads(found);

    await expect(ask()).rejects.toThrow(/^Unauthorized$/);

    expect(dynamodb.calls()).toHaveLength(calls);
    const { awsRequestId: requestId } = lambdaContext();
    expect(captured.lines()).toMatchObject([
      { RequestsRejected: 1, Reason: 'unauthorized', requestId },
    ]);
    expect(captured.lines()[0]).not.toHaveProperty('keyId');
  });

  it('sends a question whose answer is lost once again, and not endlessly', async () => {
    admits();

    await ask();

    expect(await attemptsOf(dynamodb.call(0).thisValue as DynamoDBClient)).toBe(2);
  });

  it('refuses a key without a stack, most of a line that anybody can have Lambda log', async () => {
    reads(undefined);

    await expect(ask()).rejects.toMatchObject({ name: 'UnauthorizedError', stack: '' });
  });

  it('passes any other error on, which makes it a 503, and logs it', async () => {
    const throttled = new ProvisionedThroughputExceededException({
      message: 'Too fast',
      $metadata: {},
    });
    dynamodb.on(GetItemCommand).rejects(throttled);

    await expect(ask()).rejects.toBe(throttled);

    expect(captured.lines()).toMatchObject([
      {
        level: 'ERROR',
        message: 'The authorizer failed',
        requestId: lambdaContext().awsRequestId,
        error: { name: 'ProvisionedThroughputExceededException' },
      },
    ]);
  });
});

describe("the authorizer's log", () => {
  it('counts an admitted request, with its request and key', async () => {
    admits();

    await ask();

    const { awsRequestId: requestId } = lambdaContext();
    expect(captured.lines()).toMatchObject([{ RequestsAdmitted: 1, requestId, keyId: keyId() }]);
  });

  it('counts a rejected request by its reason', async () => {
    refuses({ ...windows, bannedUntil: nowSeconds + 90 });

    await ask();

    expect(captured.lines()).toMatchObject([
      { RequestsRejected: 1, Reason: 'api_key_banned', keyId: keyId() },
    ]);
  });

  it('R26: counts the request that begins a ban', async () => {
    reads({ ...full, rejectionWindow: aheadMinute, rejectionCount: 180 });
    dynamodb.on(UpdateItemCommand).callsFake(async ({ ExpressionAttributeValues: values }) => ({
      Attributes: item({ ...full, bannedUntil: Number(values[':until'].N) }),
    }));

    await ask();

    expect(captured.lines()).toMatchObject([
      { KeysBanned: 1, keyId: keyId() },
      { RequestsRejected: 1, Reason: 'api_key_banned' },
    ]);
  });

  it.each([
    ['admitted', () => admits(), undefined],
    ['denied', () => refuses(), undefined],
    ['denied by a failed condition', deniesByCondition, undefined],
    ['unknown', () => reads(undefined), undefined],
    ['failing', () => dynamodb.on(GetItemCommand).rejects(new Error('odd')), undefined],
    ['malformed', () => admits(), () => `Bearer  ${token}`],
  ])(
    'holds neither the token nor its hashes when the request is %s',
    async (_name, given, header) => {
      given();

      await ask(header?.()).catch(() => {});

      expect(captured.text()).not.toBe('');
      for (const secret of [token.slice(8, 28), token.slice(28), ownerHash, hashToken(token)]) {
        expect(captured.text()).not.toContain(secret);
      }
    },
  );

  function deniesByCondition(): void {
    reads({ ...windows, minuteCount: 59, dayCount: 59 });
    conditionFails(full);
  }
});
