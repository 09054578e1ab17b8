import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { Gateway } from '../../../aws/api-gateway/gateway.ts';
import {
  api,
  createRequest,
  createTemplate,
  gatewayOf,
  method,
  mock,
  proxy,
  type Resources,
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
    readonly methods: Readonly<Record<string, FactMethod>>;
    readonly authorizer?: FactAuthorizer;
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
    /** The value that the function `returnBody` returns, which is the body of a POST. */
    readonly functionReturns?: unknown;
  };
  /** A text of a header stands for all its values, joined by commas; `json` is the parsed body. */
  readonly answer?: object;
  /** Parts of the event that the function `echo` received. */
  readonly received?: object;
}

interface FactMethod {
  /** `echo` answers with its event, `returnBody` returns its body; else results by the event's path. */
  readonly function?: 'echo' | 'returnBody' | Readonly<Record<string, unknown>>;
  readonly mock?: { readonly body?: string };
  readonly hasAuthorizer?: boolean;
}

/** A TOKEN authorizer: the result of its function, or the message of the error that it throws. */
interface FactAuthorizer {
  readonly header: string;
  readonly failsWith?: string;
  readonly returns?: unknown;
}

const file = join(import.meta.dirname, 'facts.yaml');
const recordings: readonly Recording[] = parse(readFileSync(file, 'utf8'));

describe.each(recordings)('recorded by $source', ({ api: factApi, facts }) => {
  let gateway: Gateway;

  beforeEach(async () => {
    gateway = await createGateway(factApi);
  });

  it.each(facts)('$id: $title', async ({ request, answer, received }) => {
    const { functionReturns, path, headers = {} } = request;
    const isReturned = 'functionReturns' in request;
    const { statusCode, ...rest } = await gateway.answer(
      createRequest({
        method: request.method ?? (isReturned ? 'POST' : 'GET'),
        target: path,
        headers: Object.entries({ Host: 'api.example', ...headers }),
        body: isReturned ? JSON.stringify(functionReturns) : (request.body ?? ''),
      }),
    );

    const body = String(rest.body);
    const json = jsonOf(body);
    const found = { status: statusCode, headers: headersOf(rest.headers), body, json };
    expectRecorded(answer ?? {}, found, 'answer');
    expectRecorded(received ?? {}, json, 'event');
  });
});

function createGateway({ stage, methods, authorizer }: Recording['api']) {
  const authorized = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Auth' } };
  const resources: Resources = {
    ...api,
    Stage: { ...api.Stage!, Properties: { ...api.Stage!.Properties, StageName: stage } },
    ...(authorizer && {
      Auth: {
        Type: 'AWS::ApiGateway::Authorizer',
        Properties: {
          Type: 'TOKEN',
          AuthorizerUri: 'authorizer',
          IdentitySource: `method.request.header.${authorizer.header}`,
          AuthorizerResultTtlInSeconds: 0,
        },
      },
    }),
  };
  for (const [name, own] of Object.entries(methods)) {
    const integration = own.mock ? mock(own.mock) : proxy(name);
    const authorization = own.hasAuthorizer ? authorized : {};
    Object.assign(resources, method(name, { ...integration, ...authorization }));
  }
  // biome-ignore lint/suspicious/noExplicitAny: an event of the authorizer, or of another function
  const run: RunFunction = async (name, event: any) => {
    if (name !== 'authorizer') {
      const own = methods[name]!.function!;
      if (own === 'echo') return resultOf({ statusCode: 200, body: JSON.stringify(event) });
      if (own !== 'returnBody') return resultOf(own[event.path]);
      if (event.body) return resultOf(JSON.parse(event.body));
      return { error: { errorType: 'Error', errorMessage: 'no body' } };
    }
    const { failsWith, returns } = authorizer!;
    if (failsWith) return { error: { errorType: 'Error', errorMessage: failsWith } };
    return resultOf(returns);
  };
  return gatewayOf(createTemplate(resources), run, '');
}

const resultOf = (returned: unknown) => ({ payload: JSON.stringify(returned) });

/** The values by lower-case name; several values of a name are joined by commas. */
function headersOf(headers: readonly [string, string][]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    all[key] = key in all ? `${all[key]}, ${value}` : value;
  }
  return all;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Expects the parts of a value that were recorded. @param path names the value in a failure */
function expectRecorded(recorded: unknown, found: unknown, path: string): void {
  const [, statement, text] =
    /^\((present|absent|containing)\) ?(.*)$/.exec(String(recorded)) ?? [];
  const matchers: Readonly<Record<string, unknown>> = {
    present: expect.anything(),
    absent: undefined,
    containing: expect.stringContaining(text ?? ''),
  };
  const isObject = typeof recorded === 'object' && recorded !== null && !Array.isArray(recorded);
  if (!isObject) {
    const expected = statement === undefined ? recorded : matchers[statement];
    expect({ [path]: found }).toEqual({ [path]: expected });
    return;
  }
  const { '(exactly)': all, ...some } = recorded as Readonly<Record<string, object>>;
  if (all) expect(Object.keys(Object(found)).sort()).toEqual(Object.keys(all).sort());
  for (const [name, value] of Object.entries(all ?? some)) {
    const key = path === 'answer.headers' ? name.toLowerCase() : name;
    expectRecorded(value, Object(found)[key], `${path}.${name}`);
  }
}
