import { describe, expect, it, jest } from '@jest/globals';
import type { DynamoDbClientSettings } from '../../lambdas/runtime/dynamodb.ts';
import { functionNames, functionSettings, handlerEntries } from '../../lib/settings/functions.ts';
import { installAwsLambda } from '../helpers/functions/awslambda.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';

Object.assign(process.env, functionEnvironment);
installAwsLambda();
const created: DynamoDbClientSettings[] = [];
const module = await import('../../lambdas/runtime/dynamodb.ts');
jest.unstable_mockModule('../../lambdas/runtime/dynamodb.ts', () => ({
  ...module,
  createDynamoDbClient: (settings: DynamoDbClientSettings) => {
    created.push(settings);
    return module.createDynamoDbClient(settings);
  },
}));

/** The longest wait between two attempts that get no answer. No function makes more than four attempts. */
const longestDelayMs = 200;

describe.each(functionNames)('%s', (name) => {
  it('gives up on DynamoDB before its time is up', async () => {
    created.length = 0;
    await import(`../../${handlerEntries[name]}`);
    const [{ maxAttempts, requestTimeoutMs }] = created as [DynamoDbClientSettings];

    const longestMs = maxAttempts * requestTimeoutMs + (maxAttempts - 1) * longestDelayMs;

    expect(longestMs).toBeLessThan(functionSettings(name).functionTimeoutMs);
  });
});
