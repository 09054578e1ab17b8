import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  api,
  createRequest,
  createTemplate,
  gatewayOf,
  method,
  mock,
  proxy,
  type RunFunction,
} from '../small-template.ts';

/*
 * The recorded behaviour of API Gateway. Each recording in facts.yaml has its source, which is a test that was run
 * against AWS, or a thread that shows an answer. It also has the relevant parts of the template, and requests with the
 * recorded values. Only these values are expected. `(present)` stands for a value that a recording masks.
 */

interface Recording {
  readonly source: string;
  readonly api: {
    readonly stage: string;
    /**
     * The function of each method and path. `echo` answers with its event, and `returnBody` returns the body of the
     * request.
     */
    readonly methods: Readonly<
      Record<string, { function?: 'echo' | 'returnBody'; mock?: { body?: string } }>
    >;
    /** The result of the function that authorizes all methods, or the message of the error that it throws. */
    readonly authorizer?: { readonly header: string; failsWith?: string; returns?: unknown };
  };
  readonly facts: readonly Fact[];
}

interface Fact {
  readonly id: string;
  readonly title: string;
  readonly request: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** The value that `returnBody` returns, which is the body of a POST. */
    readonly functionReturns?: unknown;
  };
  /** The `json` is the parsed body. */
  readonly answer?: object;
  /** Parts of the event that the function `echo` received. */
  readonly received?: object;
}

const file = join(import.meta.dirname, 'facts.yaml');
const recordings: readonly Recording[] = parse(readFileSync(file, 'utf8'));

describe.each(recordings)('recorded by $source', ({ api: factApi, facts }) => {
  it.each(facts)('$id: $title', async ({ request, answer, received }) => {
    const { functionReturns, path, headers = {} } = request;
    const isReturned = 'functionReturns' in request;
    const gateway = await createGateway(factApi);

    const { statusCode, ...rest } = await gateway(
      createRequest({
        method: request.method ?? (isReturned ? 'POST' : 'GET'),
        target: path,
        headers: Object.entries({ Host: 'api.example', ...headers }),
        body: isReturned ? JSON.stringify(functionReturns) : (request.body ?? ''),
      }),
    );

    const body = String(rest.body);
    const json = body.startsWith('{') ? JSON.parse(body) : undefined;
    const found = { status: statusCode, headers: Object.fromEntries(rest.headers), body, json };
    // The function `echo` answers with its event.
    const recorded = { ...answer, ...(received && { json: received }) };
    expect(found).toEqual(expected(recorded, found));
  });
});

function createGateway({ stage, methods, authorizer }: Recording['api']) {
  const resources = {
    ...api,
    Stage: { ...api.Stage!, Properties: { ...api.Stage!.Properties, StageName: stage } },
    Auth: {
      Type: 'AWS::ApiGateway::Authorizer',
      Properties: {
        Type: 'TOKEN',
        AuthorizerUri: 'authorizer',
        IdentitySource: `method.request.header.${authorizer?.header}`,
        AuthorizerResultTtlInSeconds: 0,
      },
    },
  };
  for (const [name, own] of Object.entries(methods)) {
    const integration = own.mock ? mock(own.mock.body) : proxy(name);
    const custom = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Auth' } };
    Object.assign(resources, method(name, { ...integration, ...(authorizer && custom) }));
  }
  // biome-ignore lint/suspicious/noExplicitAny: an event of the authorizer, or of another function
  const run: RunFunction = async (name, event: any) => {
    const failure = (errorMessage: string) => ({ error: { errorType: 'Error', errorMessage } });
    if (name === 'authorizer') {
      const { failsWith, returns } = authorizer!;
      return failsWith ? failure(failsWith) : { payload: JSON.stringify(returns) };
    }
    if (methods[name]!.function === 'returnBody') {
      return event.body ? { payload: event.body } : failure('no body');
    }
    return { payload: JSON.stringify({ statusCode: 200, body: JSON.stringify(event) }) };
  };
  return gatewayOf(createTemplate(resources), run, '');
}

/** The value to expect: what was recorded, and everything else as it was found. */
function expected(recorded: unknown, found: unknown): unknown {
  if (recorded === '(absent)') return undefined;
  if (recorded === '(present)') return expect.anything();
  const [, part] = /^\(containing\) (.*)/.exec(String(recorded)) ?? [];
  if (part !== undefined) return expect.stringContaining(part);
  if (recorded?.constructor !== Object) return recorded;
  const parts = Object.entries(recorded).map(([name, value]) => [
    name,
    expected(value, Object(found)[name]),
  ]);
  return { ...Object(found), ...Object.fromEntries(parts) };
}
