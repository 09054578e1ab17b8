import { afterEach, describe, expect, it } from '@jest/globals';
import { loadFunctions } from '../../../aws/lambda/functions.ts';
import { type Assembly, createTemplate, lambda, writeAssembly } from '../small-template.ts';

let assembly: Assembly | undefined;

afterEach(() => assembly?.remove());

const code = 'exports.handler = async (event) => ({ event, env: process.env });';

/** Loads a function, and returns what finds it. */
function load(properties: Record<string, unknown> = {}) {
  const resources = lambda('List', properties);
  assembly = writeAssembly(resources, { List: code });
  return loadFunctions(createTemplate(resources), assembly.path, {
    variablesOf: (logicalId) => ({ OF: logicalId, TABLE: 'of the run' }),
    now: Date.now,
    log: () => {},
  });
}

const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Small-List';
const uri = (functionArn: string) =>
  `arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/${functionArn}/invocations`;

describe('functions of a template', () => {
  it('are invoked by the ARN of an alias, with the variables of the template', async () => {
    const Environment = { Variables: { TABLE: { Ref: 'AWS::Region' } } };

    const result = await load({ Environment })(uri(`${arn}:live`), 'Method')({ a: 1 });

    const env = { AWS_LAMBDA_FUNCTION_NAME: 'Small-List', OF: 'List', TABLE: 'us-east-1' };
    const payload = JSON.parse('payload' in result ? result.payload : '{}');
    expect(payload).toEqual({ event: { a: 1 }, env });
  });

  it.each([uri(`${arn}-other`), 'arn:aws:apigateway:eu-central-1:sqs:path/queue'])(
    'are not found by the URI %s',
    (wrong) => {
      expect(() => load()(wrong, 'Method')).toThrow(`Method: the URI ${wrong}`);
    },
  );

  it.each([
    ['code without an asset', { Code: { S3Key: 'unknown.zip' } }],
    ['the runtime python3.13', { Runtime: 'python3.13' }],
  ])('are refused with %s, in an error that names the logical id', (message, properties) => {
    expect(() => load(properties)).toThrow(`List: ${message}`);
  });
});
