import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  invocationTimedOut,
  type StartEnvironment,
} from '../../local/functions/execution-environment.ts';
import { FunctionRunner } from '../../local/functions/function-runner.ts';
import { type LambdaFunction, readFunctions } from '../../local/functions/lambda-functions.ts';
import { readTemplate } from '../../local/template/template.ts';
import {
  type CannedHttpDynamodb,
  startCannedHttpDynamodb,
} from '../helpers/dynamodb/canned-http-dynamodb.ts';
import { exampleToken } from '../helpers/dynamodb/key-items.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../helpers/functions/events.ts';
import { assetsManifestFile, templateFile } from '../helpers/synthesized.ts';
import { AwsEnvironment } from './aws-environment.ts';

let dynamodb: CannedHttpDynamodb;

beforeAll(async () => {
  dynamodb = await startCannedHttpDynamodb();
});

afterAll(() => dynamodb?.close());

const startAws: StartEnvironment = (...parameters) => new AwsEnvironment(...parameters);

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

describe.each([
  ['cancels nothing', 'CancelOrder', cancelEvent('1')],
  ['lists nothing', 'ListOrders', proxyEvent()],
])('a function whose time is nearly over %s', (_, name, event) => {
  it("and answers 504, to the byte as under AWS's runtime client", async () => {
    const lambda = deployed(name, 1_000);

    const aws = await invoke(lambda, event, startAws);
    const local = await invoke(lambda, event, undefined);

    expect(JSON.stringify(aws)).toMatch(/statusCode.{1,5}504/);
    expect(JSON.stringify(aws)).toContain('The request took too long.');
    expect(local).toEqual(aws);
  });
});

describe('a function that has no answer of its own when its time is over', () => {
  it("is stopped, in the same words as under AWS's runtime client", async () => {
    const lambda = deployed('Authorizer', 1_000);
    const event = authorizerEvent(`Bearer ${exampleToken()}`);

    const aws = await invoke(lambda, event, startAws);
    const local = await invoke(lambda, event, undefined);

    expect(aws).toEqual({ error: invocationTimedOut(lambda, 'request-1') });
    expect(local).toEqual(aws);
  });
});
