import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handlerEntries, operationNames } from '../../../lib/settings/functions.ts';
import { contractDifferences } from '../../contract/contract.ts';
import { captureLinesOfTests } from '../captured-lines.ts';
import { DynamodbProxy, lost } from '../dynamodb/dynamodb-proxy.ts';
import { installAwsLambda } from './awslambda.ts';
import { lambdaContext } from './events.ts';
import { functionEnvironment } from './function-environment.ts';

/** A response of an operation, as Lambda passes it on. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The handler of an operation that is not streamed. */
type OperationHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<Answer>;

/**
 * Loads a function for a test file, with a proxy that answers like DynamoDB. Every test begins without requests,
 * replies and log lines, and leaves no request under way.
 *
 * @param file the name of the function's file in `lambdas/`, such as `cancel-order`
 */
export async function functionUnderTest<Handler = OperationHandler>(file: string) {
  installAwsLambda();
  const table = await DynamodbProxy.start(lost);
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: table.url });
  beforeEach(() => {
    table.requests.length = 0;
    table.next.length = 0;
  });
  afterEach(() => table.isAtRest());
  afterAll(() => table[Symbol.asyncDispose]());
  const log = captureLinesOfTests();
  const { handler }: { handler: Handler } = await import(`../../../lambdas/${file}.ts`);
  const operation = operationNames.find((name) => handlerEntries[name] === `lambdas/${file}.ts`);
  /** Expects that the contract documents a response, as a client gets it. */
  const expectDocumented = ({ statusCode, headers, body }: Answer) => {
    const sent = Object.entries(headers).map(([name, value]): [string, string[]] => [
      // API Gateway renames this header of an integration.
      name.toLowerCase().replace(/^(?=www-authenticate$)/, 'x-amzn-remapped-'),
      [value],
    ]);
    const answer = { status: statusCode, headers: new Map(sent), text: body };
    expect(contractDifferences(operation!, answer)).toEqual([]);
  };
  return {
    /** The proxy that answers the function's requests to DynamoDB. By default, it breaks the connection. */
    table,
    /** The lines that the function logs. */
    log,
    handler,
    expectDocumented,
    /** Sends an event to an operation that is not streamed, and compares the response with the contract. */
    send: async (event: APIGatewayProxyEvent, remainingMs?: number): Promise<Answer> => {
      const answer = await (handler as OperationHandler)(event, lambdaContext(remainingMs));
      expectDocumented(answer);
      return answer;
    },
  };
}
