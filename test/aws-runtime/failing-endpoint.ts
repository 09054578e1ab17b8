import {
  DynamodbProxy,
  forwardTo,
  lost,
  refused,
  throttled,
  unanswered,
} from '../helpers/dynamodb-proxy.ts';
import type { Endpoint } from './twin-stores.ts';

const failures = {
  'breaks the connection': lost,
  throttles: throttled,
  refuses: refused,
  'never answers': unanswered,
};

/** What becomes of requests that name a table. */
export type Failure = keyof typeof failures;

/** An address that leads to a DynamoDB-compatible server, until it is told to fail. */
export interface FailingEndpoint extends Endpoint {
  /** @param failure undefined for no failure any more */
  fail(tableName: string, failure: Failure | undefined): void;
}

export async function failingEndpoint(target: string): Promise<FailingEndpoint> {
  const failing = new Map<string, Failure | undefined>();
  const forward = forwardTo(target);
  const proxy = await DynamodbProxy.start((call) => {
    const failure = failing.get(String(call.input.TableName));
    return failure ? failures[failure](call) : forward(call);
  });
  return {
    url: proxy.url,
    fail: (tableName, failure) => void failing.set(tableName, failure),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
