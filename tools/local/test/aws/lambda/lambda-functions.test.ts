import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Invoke, readFunctions } from '../../../aws/lambda/lambda-functions.ts';
import {
  type Assembly,
  createTemplate,
  lambda,
  type Resources,
  writeAssembly,
} from '../small-template.ts';

const invoke = jest.fn<Invoke>();
let assembly: Assembly | undefined;

afterEach(() => {
  invoke.mockReset();
  assembly?.remove();
});

function read(resources: Resources) {
  assembly = writeAssembly(resources, { List: '', Cancel: '' });
  return readFunctions(createTemplate(resources), assembly.assetsManifestFile, invoke);
}

/** Invokes the function of a URI. Returns what was invoked, and whether it streams. */
async function invokedBy(resources: Resources, invokedUri: string) {
  const { signal } = new AbortController();
  const target = read(resources)(invokedUri, 'Method');
  await target.invoke({ a: 1 }, signal, 'caller');
  const [[invoked, invocation]] = invoke.mock.calls as [Parameters<Invoke>];
  return { lambda: invoked, invocation, isStreaming: target.isStreaming };
}

const list = lambda('List');
const name = createTemplate(list).ofType('AWS::Lambda::Function')[0]!.ref;
const arn = `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
const uri = (functionArn: string, date = '2015-03-31', operation = 'invocations') =>
  `arn:aws:apigateway:eu-central-1:lambda:path/${date}/functions/${functionArn}/${operation}`;
const qualified: Resources = {
  ...list,
  Live: {
    Type: 'AWS::Lambda::Alias',
    Properties: { FunctionName: { Ref: 'List' }, FunctionVersion: '1', Name: 'live' },
  },
};

describe('functions of a template', () => {
  it('have the properties in the template', async () => {
    const properties = {
      MemorySize: 512,
      Timeout: 15,
      ReservedConcurrentExecutions: 2,
      Environment: { Variables: { TABLE: { Ref: 'AWS::Region' } } },
    };

    const invoked = await invokedBy(lambda('List', properties), uri(arn));

    expect(invoked.lambda).toEqual({
      logicalId: 'List',
      name,
      codeDirectory: `${assembly?.directory}/asset.List`,
      handler: 'index.handler',
      memorySizeMb: 512,
      timeoutMs: 15_000,
      reservedConcurrency: 2,
      environment: { TABLE: 'eu-central-1' },
    });
  });

  it('have 128 MB and three seconds by default', async () => {
    const { lambda } = await invokedBy(list, uri(arn));

    expect(lambda).toMatchObject({ memorySizeMb: 128, timeoutMs: 3_000 });
  });

  it.each([
    ['their own ARN', arn],
    ['the ARN of an alias', `${arn}:live`],
  ])('are invoked by %s', async (_, invokedArn) => {
    expect(await invokedBy(qualified, uri(invokedArn))).toEqual({
      lambda: expect.objectContaining({ logicalId: 'List' }),
      invocation: {
        event: '{"a":1}',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        invokedArn,
        caller: 'caller',
      },
      isStreaming: false,
    });
  });

  it.each([
    ['of another function', uri(`${arn}-other`)],
    ['of an unknown alias', uri(`${arn}:dead`)],
    ['with the streaming date and the ordinary operation', uri(arn, '2021-11-15')],
    ['with something before it', `x${uri(arn)}`],
    ['with something after it', `${uri(arn)}/x`],
    ['of another service', 'arn:aws:apigateway:eu-central-1:sqs:path/queue'],
  ])('are not found by a URI %s', (_, wrong) => {
    expect(() => read(qualified)(wrong, 'Method')).toThrow('Method: invokes no function');
  });

  it.each([
    [
      'no asset',
      { Code: { S3Bucket: 'b', S3Key: 'unknown.zip' } },
      'there is no asset unknown.zip',
    ],
    ['another runtime', { Runtime: 'python3.13' }, 'the runtime python3.13'],
  ])('are refused with %s, in an error that names the logical id', (_, properties, message) => {
    expect(() => read(lambda('List', properties))).toThrow(`List: ${message}`);
  });
});
