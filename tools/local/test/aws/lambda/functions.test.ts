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

function load(resources: Resources) {
  assembly = writeAssembly(resources, { List: code });
  return loadFunctions(createTemplate(resources), assembly.assetsManifestFile, {
    variablesOf: (logicalId) => ({ OF: logicalId, TABLE: 'of the run' }),
    now: Date.now,
    log: () => {},
  });
}

const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:Small-List';
const uri = (functionArn: string) =>
  `arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/${functionArn}/invocations`;

describe('functions of a template', () => {
  it.each([
    ['their ARN, with 512 MB if the template says so', arn, { MemorySize: 512 }, '512'],
    ['the ARN of an alias, with 128 MB by default', `${arn}:live`, {}, '128'],
  ])('are invoked by %s', async (_, invokedArn, own, memory) => {
    const Environment = { Variables: { TABLE: { Ref: 'AWS::Region' } } };
    const invoke = load(lambda('List', { ...own, Environment }))(uri(invokedArn), 'Method');

    const result = await invoke({ a: 1 });

    expect(JSON.parse('payload' in result ? result.payload : '{}')).toEqual({
      event: { a: 1 },
      arn: invokedArn,
      env: {
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
        AWS_LAMBDA_FUNCTION_NAME: 'Small-List',
        OF: 'List',
        TABLE: 'eu-central-1',
      },
      memory,
    });
  });

  it.each([uri(`${arn}-other`), 'arn:aws:apigateway:eu-central-1:sqs:path/queue'])(
    'are not found by the URI %s',
    (wrong) => {
      expect(() => load(lambda('List'))(wrong, 'Method')).toThrow(`Method: the URI ${wrong}`);
    },
  );

  it.each([
    ['code without an asset', { Code: { S3Key: 'unknown.zip' } }],
    ['the runtime python3.13', { Runtime: 'python3.13' }],
  ])('are refused with %s, in an error that names the logical id', (message, properties) => {
    expect(() => load(lambda('List', properties))).toThrow(`List: ${message}`);
  });
});
