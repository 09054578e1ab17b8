import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StartEnvironment } from '../../local/functions/execution-environment.ts';
import { FunctionRunner } from '../../local/functions/function-runner.ts';
import { type LambdaFunction, readFunctions } from '../../local/functions/lambda-functions.ts';
import { readTemplate } from '../../local/template/template.ts';
import {
  type CannedHttpDynamodb,
  startCannedHttpDynamodb,
} from '../helpers/canned-http-dynamodb.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../helpers/events.ts';
import { exampleToken } from '../helpers/key-items.ts';
import { assetsManifestFile, templateFile } from '../helpers/synthesized.ts';
import { AwsEnvironment } from './aws-environment.ts';

let dynamodb: CannedHttpDynamodb;

beforeAll(async () => {
  dynamodb = await startCannedHttpDynamodb();
});

afterAll(() => dynamodb?.close());

const environments: [string, StartEnvironment | undefined][] = [
  ["AWS's runtime client", (...parameters) => new AwsEnvironment(...parameters)],
  ['the local run', undefined],
];

/** A function as it deploys, but for the time that it has. */
function deployed(name: string, timeoutMs: number): LambdaFunction {
  const identity = { stackName: 'Test', region: 'eu-central-1', accountId: '123456789012' };
  const { all } = readFunctions(
    readTemplate(templateFile('staging'), identity),
    assetsManifestFile('staging'),
  );
  return { ...all.find(({ logicalId }) => logicalId.startsWith(name))!, timeoutMs };
}

/** What the function gives its caller when DynamoDB never answers. */
async function invoke(
  lambda: LambdaFunction,
  event: object,
  startEnvironment: StartEnvironment | undefined,
) {
  dynamodb.answers.push(...Array(10).fill('none'));
  const runner = new FunctionRunner({
    variablesOf: () => ({
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    }),
    log: () => {},
    startEnvironment,
  });
  const invocation = { event: JSON.stringify(event), requestId: 'request-1', invokedArn: 'arn' };
  const result = await runner.invoke(lambda, invocation);
  const text = 'stream' in result ? String(Buffer.concat(await result.stream.toArray())) : '';
  await runner.close();
  return { ...result, ...('stream' in result && { stream: text }) };
}

describe.each(environments)('with %s, a function whose time is nearly over', (_, environment) => {
  const body = JSON.stringify({
    code: 'timeout',
    message: 'The request took too long.',
    status: 504,
  });
  const headers = {
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '41',
    'X-RateLimit-Reset': '1795000020',
  };

  it('cancels nothing and answers 504', async () => {
    const result = await invoke(deployed('CancelOrder', 1_000), cancelEvent('1'), environment);

    expect(result).toEqual({ payload: JSON.stringify({ statusCode: 504, headers, body }) });
  });

  it('lists nothing and answers 504', async () => {
    const result = await invoke(deployed('ListOrders', 1_000), proxyEvent(), environment);

    const prelude = JSON.stringify({ statusCode: 504, headers });
    expect(result).toEqual({ stream: `${prelude}${'\0'.repeat(8)}${body}` });
  });

  it('is stopped by Lambda where it has no answer of its own', async () => {
    const event = authorizerEvent(`Bearer ${exampleToken()}`);

    const result = await invoke(deployed('Authorizer', 1_000), event, environment);

    expect(result).toEqual({
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: 'RequestId: request-1 Error: Task timed out after 1.00 seconds',
      },
    });
  });
});
