import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { InvocationTarget } from '../../../local/functions/lambda-functions.ts';
import {
  type Authorization,
  type Authorizer,
  Authorizers,
  type InvokeAuthorizer,
  readAuthorizers,
} from '../../../local/gateway/authorizer.ts';
import { createRequest, createTemplate, type RequestParts } from '../small-template.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:a1b2c3/test/GET/orders';
const target = { invokedArn: 'arn:fn' } as InvocationTarget;
const allowed = {
  principalId: 'user-1',
  policyDocument: { Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' }] },
};
const denied = {
  principalId: 'user-1',
  policyDocument: { Statement: [{ Effect: 'Deny', Action: 'execute-api:Invoke', Resource: '*' }] },
};

function authorizer(overrides: Partial<Authorizer> = {}): Authorizer {
  return {
    id: 'auth1',
    target,
    headerName: 'authorization',
    validation: undefined,
    resultTtlMs: 0,
    ...overrides,
  };
}

let time: number;
let invoke: jest.Mock<InvokeAuthorizer>;
let authorizers: Authorizers;

beforeEach(() => {
  time = 1_000_000;
  invoke = jest.fn<InvokeAuthorizer>();
  authorizers = new Authorizers(invoke, () => time);
  returns(allowed);
});

const returns = (result: unknown) => invoke.mockResolvedValue({ payload: JSON.stringify(result) });

function authorize(
  token: string | undefined,
  definition = authorizer(),
  onRecognised: (authorization: Authorization) => void = () => {},
  arn = methodArn,
) {
  const headers: RequestParts['headers'] = token === undefined ? [] : [['Authorization', token]];
  return authorizers.authorize(definition, createRequest({ headers }), arn, onRecognised);
}

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    ({ type }) => type,
  );

describe('TOKEN authorizer', () => {
  it('gets the token and the method', async () => {
    await authorize('Bearer x');

    const event = { type: 'TOKEN', methodArn, authorizationToken: 'Bearer x' };
    expect(invoke.mock.calls).toEqual([[target, event]]);
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['does not match the validation expression', 'Basic x'],
    ['matches only in part', 'Bearer x y'],
  ])('is not asked when the header %s: UNAUTHORIZED', async (_, token) => {
    const definition = authorizer({ validation: /^(?:Bearer \w)$/ });

    expect(await faultOf(authorize(token, definition))).toBe('UNAUTHORIZED');
    expect(invoke).not.toHaveBeenCalled();
  });

  it.each([
    ['Unauthorized', 'UNAUTHORIZED'],
    ['unauthorized', 'AUTHORIZER_FAILURE'],
    ['Something else', 'AUTHORIZER_FAILURE'],
    ['RequestId: 1 Error: Task timed out after 3.00 seconds', 'AUTHORIZER_FAILURE'],
  ])('that fails with "%s" gives %s', async (errorMessage, type) => {
    invoke.mockResolvedValue({ errorMessage });

    const cause = type === 'UNAUTHORIZED' ? undefined : errorMessage;
    await expect(authorize('Bearer x')).rejects.toMatchObject({ type, cause });
  });

  it.each<[string, unknown, string]>([
    ['no principal', { policyDocument: allowed.policyDocument }, 'principalId'],
    ['no policy', { principalId: 'user-1' }, 'policyDocument'],
    ['null as a policy', { ...allowed, policyDocument: null }, 'policyDocument'],
    ['a text as a policy', { ...allowed, policyDocument: '{}' }, 'policyDocument'],
    ['a policy that is none', { ...allowed, policyDocument: { Statement: [{}] } }, 'Effect'],
    ['a context value that is an object', { ...allowed, context: { a: {} } }, 'context.a'],
    ['a context value that is a list', { ...allowed, context: { a: [1] } }, 'context.a'],
    ['a context value that is null', { ...allowed, context: { a: null } }, 'context.a'],
    ['a usage key that is no text', { ...allowed, usageIdentifierKey: 7 }, 'usageIdentifierKey'],
    ['nothing', null, 'principalId'],
  ])('that returns %s is a configuration error, which names it', async (_, result, name) => {
    returns(result);

    await expect(authorize('Bearer x')).rejects.toMatchObject({
      type: 'AUTHORIZER_CONFIGURATION_ERROR',
      cause: { message: expect.stringContaining(name) },
    });
  });

  it('has its context values handed on as texts', async () => {
    returns({
      ...allowed,
      context: { text: 'a', number: 7, yes: true },
      usageIdentifierKey: 'key',
    });

    const { context, usageIdentifierKey } = await authorize('Bearer x');

    expect(context).toEqual({ principalId: 'user-1', text: 'a', number: '7', yes: 'true' });
    expect(usageIdentifierKey).toBe('key');
  });

  it('that denies gives ACCESS_DENIED, with its context known', async () => {
    returns({ ...denied, context: { code: 'too_many' } });
    const recognised: Authorization[] = [];

    const type = await faultOf(
      authorize('Bearer x', authorizer(), (seen) => recognised.push(seen)),
    );

    expect(type).toBe('ACCESS_DENIED');
    expect(recognised[0]?.context).toEqual({ principalId: 'user-1', code: 'too_many' });
  });

  it('tells an explicit denial from a missing allowance', async () => {
    returns(denied);
    await expect(authorize('x')).rejects.toThrow('access this resource with an explicit deny');

    returns({
      ...allowed,
      policyDocument: {
        Statement: [{ ...allowed.policyDocument.Statement[0], Resource: 'arn:other' }],
      },
    });
    await expect(authorize('x')).rejects.toThrow(/access this resource$/);
  });

  it('is asked each time when its results have no lifetime, even if the clock goes back', async () => {
    await authorize('Bearer x');
    time -= 1;
    await authorize('Bearer x');

    expect(invoke).toHaveBeenCalledTimes(2);
  });

  it('is asked once per token for as long as its results live', async () => {
    const definition = authorizer({ resultTtlMs: 5_000 });

    await authorize('Bearer x', definition);
    time += 4_999;
    await authorize('Bearer x', definition);
    expect(invoke).toHaveBeenCalledTimes(1);

    await authorize('Bearer y', definition);
    expect(invoke).toHaveBeenCalledTimes(2);

    time += 1;
    await authorize('Bearer x', definition);
    expect(invoke).toHaveBeenCalledTimes(3);
  });

  it('has a remembered policy evaluated for the method of each request', async () => {
    const statement = { ...allowed.policyDocument.Statement[0], Resource: methodArn };
    returns({ ...allowed, policyDocument: { Statement: [statement] } });
    const definition = authorizer({ resultTtlMs: 5_000 });

    await authorize('Bearer x', definition);
    const type = await faultOf(authorize('Bearer x', definition, undefined, `${methodArn}/7`));

    expect(type).toBe('ACCESS_DENIED');
  });
});

describe('authorizer of a template', () => {
  const functions = {
    all: [],
    targetOf: (uri: unknown, logicalId: string) => {
      return { invokedArn: `${uri} of ${logicalId}` } as InvocationTarget;
    },
  };
  const read = (properties: object) => {
    const Properties = {
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerUri: 'uri',
      ...properties,
    };
    const template = createTemplate({ Auth: { Type: 'AWS::ApiGateway::Authorizer', Properties } });
    return [...readAuthorizers(template, functions).values()][0]!;
  };

  it('reads its token from a header, whose letter case does not matter', () => {
    expect(read({}).headerName).toBe('authorization');
  });

  it('invokes the function of its URI', () => {
    expect(read({}).target.invokedArn).toBe('uri of Auth');
  });

  it('keeps results for five minutes unless it says otherwise', () => {
    expect(read({}).resultTtlMs).toBe(300_000);
    expect(read({ AuthorizerResultTtlInSeconds: 0 }).resultTtlMs).toBe(0);
  });

  it('validates the whole token', () => {
    const { validation } = read({ IdentityValidationExpression: 'a|b' });

    expect([validation?.test('a'), validation?.test('ab')]).toEqual([true, false]);
  });

  it.each([
    ['another type', { Type: 'REQUEST' }, 'Auth: a REQUEST authorizer is not supported'],
    ['no source of its token', { IdentitySource: undefined }, 'Auth: IdentitySource'],
    ['no header', { IdentitySource: 'method.request.querystring.key' }, 'Auth: IdentitySource'],
    ['half a header', { IdentitySource: 'method.request.header.a.b' }, 'Auth: IdentitySource'],
    ['more than a header', { IdentitySource: 'a.method.request.header.b' }, 'Auth: IdentitySource'],
  ])('is refused with %s', (_, properties, message) => {
    expect(() => read(properties)).toThrow(message);
  });
});
