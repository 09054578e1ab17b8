import { afterEach, describe, expect, it } from '@jest/globals';
import { loadFunctions } from '../../../aws/lambda/functions.ts';
import {
  type Assembly,
  createTemplate,
  lambda,
  type Resources,
  writeAssembly,
} from '../small-template.ts';

let assembly: Assembly | undefined;

afterEach(() => assembly?.remove());

const code = `exports.handler = async (event, context) => (
  { event, env: process.env, arn: context.invokedFunctionArn, memory: context.memoryLimitInMB });`;

function read(resources: Resources) {
  assembly = writeAssembly(resources, { List: code, Cancel: '' });
  return loadFunctions(createTemplate(resources), assembly.assetsManifestFile, {
    variablesOf: ({ name }) => ({ NAME: name }),
    now: Date.now,
    log: () => {},
  });
}

/** Invokes the function of a URI. Returns what the function has received, and whether it streams. */
async function invokedBy(resources: Resources, invokedUri: string) {
  const { invoke, isStreaming } = read(resources)(invokedUri, 'Method');
  const result = await invoke({ a: 1 });
  return { ...JSON.parse('payload' in result ? result.payload : '{}'), isStreaming };
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
  it.each([
    ['512 MB if the template says so', { MemorySize: 512 }, '512'],
    ['128 MB by default', {}, '128'],
  ])('have the variables of the template and of the run, and %s', async (_, own, memory) => {
    const Environment = { Variables: { TABLE: { Ref: 'AWS::Region' } } };

    const received = await invokedBy(lambda('List', { ...own, Environment }), uri(arn));

    expect(received).toMatchObject({ env: { TABLE: 'eu-central-1', NAME: name }, memory });
  });

  it.each([
    ['their own ARN', arn],
    ['the ARN of an alias', `${arn}:live`],
  ])('are invoked by %s', async (_, invokedArn) => {
    expect(await invokedBy(qualified, uri(invokedArn))).toMatchObject({
      event: { a: 1 },
      arn: invokedArn,
      isStreaming: false,
    });
  });

  it('stream if their URI says so', async () => {
    const streamed = uri(arn, '2021-11-15', 'response-streaming-invocations');

    expect(await invokedBy(qualified, streamed)).toMatchObject({ isStreaming: true });
  });

  it.each([
    ['of another function', uri(`${arn}-other`)],
    ['of an unknown alias', uri(`${arn}:dead`)],
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
