import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { DynamodbProxy, lost } from '../dynamodb/dynamodb-proxy.ts';
import { functionEnvironment } from './function-environment.ts';

/**
 * Starts a proxy that answers like DynamoDB for a test file, and sets the variables that a function reads
 * when it is loaded. Every test begins without requests and replies, and leaves no request under way.
 */
export async function startFunctionTable(): Promise<DynamodbProxy> {
  const table = await DynamodbProxy.start(lost);
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: table.url });
  beforeEach(() => {
    table.requests.length = 0;
    table.next.length = 0;
  });
  afterEach(() => table.isAtRest());
  afterAll(() => table[Symbol.asyncDispose]());
  return table;
}
