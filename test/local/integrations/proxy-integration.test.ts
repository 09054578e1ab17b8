import { describe, expect, it } from '@jest/globals';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { readProxyIntegration } from '../../../local/integrations/proxy-integration.ts';
import { api, createTemplate, method, proxy } from '../small-template.ts';

const lambda = { logicalId: 'Fn' } as LambdaFunction;
const arnOfFn = 'arn:aws:lambda:eu-central-1:123456789012:function:fn';
const targetOf = (uri: unknown) => ({
  lambda,
  invokedArn: String(uri),
  isStreaming: String(uri).includes('streaming'),
});

function read(integration: object) {
  const { Integration } = proxy('Fn') as { Integration: object };
  const properties = { Integration: { ...Integration, Uri: arnOfFn, ...integration } };
  const template = createTemplate({ ...api, ...method('GET /pets', properties) });
  const [resource] = template.ofType('AWS::ApiGateway::Method');
  return readProxyIntegration(resource!, { all: [lambda], targetOf });
}

describe('a proxy integration', () => {
  it("has its function, and API Gateway's time limit where it has none of its own", () => {
    const target = { lambda, invokedArn: arnOfFn, isStreaming: false };

    expect(read({})).toEqual({ type: 'AWS_PROXY', target, timeoutMs: 29_000 });
    expect(read({ TimeoutInMillis: '3000' }).timeoutMs).toBe(3_000);
  });

  it('streams where both its function and itself are set to', () => {
    const { target } = read({ ResponseTransferMode: 'STREAM', Uri: 'streaming' });

    expect(target.isStreaming).toBe(true);
  });

  it('may say what has no effect on it', () => {
    const settings = { CacheNamespace: 'pets', PassthroughBehavior: 'NEVER' };

    expect(() => read(settings)).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['another method', { IntegrationHttpMethod: 'GET' }, 'a function is invoked by POST'],
    ['a stream from a function that has none', { ResponseTransferMode: 'STREAM' }, 'disagree'],
    ['no stream from a function that has one', { Uri: 'streaming' }, 'disagree about streaming'],
    ['a setting that is not known', { Credentials: 'x' }, 'the property Integration.Credentials'],
  ])('is refused with %s, naming the method', (_, integration, message) => {
    expect(() => read(integration)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(new RegExp(`^GET /pets: .*${message}`)),
      }),
    );
  });
});
