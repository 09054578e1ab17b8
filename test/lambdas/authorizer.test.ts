import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { type CapturedLines, captureLines } from '../helpers/captured-lines.ts';
import { authorizerEvent, lambdaContext } from '../helpers/events.ts';
import { functionEnvironment } from '../helpers/function-environment.ts';
import { exampleToken, keyHash, keyId, keyItem } from '../helpers/key-items.ts';

Object.assign(process.env, functionEnvironment);
const { handler } = await import('../../lambdas/authorizer.ts');

const dynamodb = mockClient(DynamoDBClient);
const token = exampleToken();
const nowSeconds = Math.floor(Date.now() / 1_000);
const day = nowSeconds - (nowSeconds % 86_400);
// An hour ahead: whatever the time while the tests run, the windows are the current ones.
const aheadMinute = nowSeconds - (nowSeconds % 60) + 3_600;
const windows = { minuteWindow: aheadMinute, dayWindow: day + 86_400 };
const banBegins = 'SET bannedUntil = :until, rejectionCount = rejectionCount + :one';
let captured: CapturedLines;

beforeEach(() => {
  dynamodb.reset();
  captured = captureLines();
});

afterEach(() => captured.release());

afterAll(() => dynamodb.restore());

const ask = (header = `Bearer ${token}`) => handler(authorizerEvent(header), lambdaContext());

function conditionFails(found?: ReturnType<typeof keyItem>) {
  const message = 'The conditional request failed';
  dynamodb.on(UpdateItemCommand).rejects(
    new ConditionalCheckFailedException({
      message,
      $metadata: {},
      ...(found && { Item: found }),
    }),
  );
}

function admits(overrides: Parameters<typeof keyItem>[0] = {}) {
  const Attributes = keyItem({ ...windows, minuteCount: 19, dayCount: 30, ...overrides });
  dynamodb.on(UpdateItemCommand).resolves({ Attributes });
}

const fullMinute = keyItem({ ...windows, minuteCount: 60, dayCount: 60 });

describe('the authorizer', () => {
  it('R16: admits a valid key for every method of the stage', async () => {
    admits();

    const result = await ask();

    expect(result).toEqual({
      principalId: keyId,
      usageIdentifierKey: keyId,
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
        keyId,
        plan: 'free',
        limit: 60,
        remaining: 41,
        reset: aheadMinute + 60,
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

  it("asks for the token's hash, and never sends the token", async () => {
    admits();

    await ask();

    const inputs = dynamodb.commandCalls(UpdateItemCommand).map((call) => call.args[0].input);
    expect(inputs).toHaveLength(1);
    expect(inputs[0]).toMatchObject({ TableName: 'api-keys', Key: { keyHash: { S: keyHash } } });
    expect(JSON.stringify(inputs)).not.toContain(token);
  });

  it.each([
    ['rate_limit_exceeded', { minuteCount: 60, dayCount: 60 }],
    ['quota_exceeded', { minuteCount: 3, dayCount: 1_000 }],
    ['api_key_banned', { minuteCount: 60, dayCount: 60, bannedUntil: nowSeconds + 9_000 }],
  ])('R24: denies with %s, and what a 429 needs', async (code, uses) => {
    conditionFails(keyItem({ ...windows, ...uses }));

    const result = await ask();

    expect(result.policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
    expect(result.usageIdentifierKey).toBe(keyId);
    const { context } = result;
    expect(context).toMatchObject({ keyId, plan: 'free', code, remaining: 0 });
    expect(context?.message).toContain(`${context?.retryAfter} seconds`);
    expect(Number(context?.retryAfter)).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ['allow', () => admits()],
    ['deny', () => conditionFails(fullMinute)],
  ])(
    'gives nothing but texts and numbers that fit into JSON and a header: %s',
    async (_, given) => {
      given();

      const { context } = await ask();

      for (const value of Object.values(context ?? {})) {
        expect(['string', 'number']).toContain(typeof value);
        // Printable ASCII without what ends a JSON text.
        expect(String(value)).toMatch(/^[ !#-[\]-~]+$/);
      }
    },
  );

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of another scheme', `Basic ${token}`],
    ['with two spaces', `Bearer  ${token}`],
    ['with one character changed', `Bearer ${token.slice(0, -1)}!`],
    ["the other stage's", `Bearer ${exampleToken('so_live_')}`],
  ])('R18: refuses a key that is %s, without a call', async (_name, header) => {
    const event = { ...authorizerEvent(''), authorizationToken: header as string };

    await expect(handler(event, lambdaContext())).rejects.toThrow(/^Unauthorized$/);

    expect(dynamodb.calls()).toHaveLength(0);
  });

  it.each([
    ['unknown', undefined],
    ['revoked', keyItem({ ...windows, status: 'revoked' })],
    ['expired', keyItem({ ...windows, expiresAt: nowSeconds - 1 })],
  ])('R18: refuses a key that is %s, all in one way', async (_name, found) => {
    conditionFails(found);

    await expect(ask()).rejects.toThrow(/^Unauthorized$/);

    expect(dynamodb.calls()).toHaveLength(1);
    expect(captured.lines()).toMatchObject([{ RequestsRejected: 1, Reason: 'unauthorized' }]);
    expect(captured.lines()[0]).not.toHaveProperty('keyId');
  });

  it('passes any other error on, which makes it a 503, and logs it', async () => {
    const throttled = new ProvisionedThroughputExceededException({
      message: 'Too fast',
      $metadata: {},
    });
    dynamodb.on(UpdateItemCommand).rejects(throttled);

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
    expect(captured.lines()).toMatchObject([{ RequestsAdmitted: 1, requestId, keyId }]);
  });

  it('counts a rejected request by its reason', async () => {
    conditionFails(keyItem({ ...windows, bannedUntil: nowSeconds + 9_000 }));

    await ask();

    expect(captured.lines()).toMatchObject([
      { RequestsRejected: 1, Reason: 'api_key_banned', keyId },
    ]);
  });

  it('R26: counts the request that begins a ban', async () => {
    const full = { ...windows, minuteCount: 60, dayCount: 60 };
    const rejections = { rejectionWindow: aheadMinute, rejectionCount: 180 };
    conditionFails(keyItem({ ...full, ...rejections }));
    dynamodb
      .on(UpdateItemCommand, { UpdateExpression: banBegins })
      .resolves({ Attributes: keyItem({ ...full, bannedUntil: nowSeconds + 300 }) });

    await ask();

    expect(captured.lines()).toMatchObject([
      { KeysBanned: 1, keyId },
      { RequestsRejected: 1, Reason: 'api_key_banned' },
    ]);
  });

  it.each([
    ['admitted', () => admits(), undefined],
    ['denied', () => conditionFails(fullMinute), undefined],
    ['unknown', () => conditionFails(), undefined],
    ['failing', () => dynamodb.on(UpdateItemCommand).rejects(new Error('odd')), undefined],
    ['malformed', () => admits(), `Bearer  ${token}`],
  ])(
    'holds neither the token nor its hash when the request is %s',
    async (_name, given, header) => {
      given();

      await ask(header).catch(() => {});

      expect(captured.text()).not.toBe('');
      expect(captured.text()).not.toContain(token.slice(8));
      expect(captured.text()).not.toContain(keyHash);
    },
  );
});
