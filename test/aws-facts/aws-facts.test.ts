import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayFault, type GatewayResponseType } from '../../local/exchange/gateway-fault.ts';
import {
  readGatewayResponses,
  renderGatewayResponse,
} from '../../local/gateway/gateway-responses.ts';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { temporaryDirectoryOfFile } from '../helpers/temporary-directory.ts';
import {
  api,
  createContext,
  createRequest,
  createTemplate,
  writeAssembly,
} from '../local/small-template.ts';
import { deviations } from './deviations.ts';
import { differences } from './differences.ts';
import type {
  Expected,
  Fact,
  FactAnswer,
  FactApi,
  GatewayResponseFact,
  Recording,
  Source,
} from './fact.ts';
import { createFactAssembly } from './fact-template.ts';
import { gatewayResponses, recordings } from './facts/recordings.ts';
import { sendRequest } from './send-request.ts';

const facts = [...recordings.flatMap((recording) => recording.facts), ...gatewayResponses];

const titled = recordings.map((recording) => ({ title: titleOf(recording.source), recording }));

const directory = temporaryDirectoryOfFile();

describe.each(titled)('recorded by $title', ({ recording }) => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deploy(recording);
  });

  afterAll(() => deployed?.service?.close());

  it.each(recording.facts)('$id: $title', async (fact) => {
    const { service, refusal } = deployed;
    const found = service ? await factDifferences(fact, service) : refusal;

    expectFact(fact.id, found);
  });
});

describe('a gateway response', () => {
  it.each(gatewayResponses)('$id: $title', (fact) => {
    expectFact(fact.id, gatewayResponseDifferences(fact));
  });
});

describe('the facts', () => {
  it('have ids of their own', () => {
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
  });

  it('are those that deviations name', () => {
    const ids = facts.map(({ id }) => id);

    expect(ids).toEqual(expect.arrayContaining(deviations.map(({ id }) => id)));
  });

  it('name where they were recorded', () => {
    const sources: Source[] = [...recordings, ...gatewayResponses].map(({ source }) => source);

    for (const source of sources) {
      expect(source.repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      if ('commit' in source) expect(source.commit).toMatch(/^[0-9a-f]{40}$/);
    }
  });
});

function titleOf(source: Source): string {
  return `${source.repository} ${'test' in source ? source.test : source.thread}`;
}

/** A running service, or why the template is not supported, which fails each fact and may be a deviation. */
type Deployed =
  | { readonly service: LocalService; readonly refusal?: never }
  | { readonly service?: never; readonly refusal: string };

async function deploy({ api: factApi }: Recording): Promise<Deployed> {
  const { resources, code } = createFactAssembly(factApi);
  try {
    const service = await startLocalService({
      ...writeAssembly(resources, code, {}, directory),
      stackName: 'Facts',
      // No recording has a table.
      dynamodbEndpoint: 'http://127.0.0.1:9',
      log: () => {},
    });
    if (factApi.apiKey) createKey(factApi.apiKey, service);
    return { service };
  } catch (error) {
    return { refusal: String(error) };
  }
}

function createKey(
  { value, isEnabled }: NonNullable<FactApi['apiKey']>,
  { controlPlane }: LocalService,
): void {
  const key = controlPlane.createApiKey({ value, enabled: isEnabled });
  const [plan] = controlPlane.getUsagePlans();
  controlPlane.createUsagePlanKey({ usagePlanId: plan!.id, keyId: key.id });
}

/** A fact that is listed as a deviation must be one: the list would otherwise outlive its reasons. */
function expectFact(id: string, found: string | string[]): void {
  const deviation = deviations.find((candidate) => candidate.id === id);

  if (deviation) expect([found].flat().join()).toContain(deviation.found);
  else expect(found).toEqual([]);
}

async function factDifferences(fact: Fact, service: LocalService): Promise<string[]> {
  const { status, headers, body } = await sendRequest(service.origin, fact.request);
  const text = body.toString('utf8');
  const { answer, received } = fact;
  return [
    ...(answer ? answerDifferences(answer, { status, headers, body }) : []),
    ...(answer?.json === undefined ? [] : differences(answer.json, jsonOf(text), 'body')),
    ...(received === undefined ? [] : differences(received, jsonOf(text), 'event')),
  ];
}

function answerDifferences(
  expected: FactAnswer,
  actual: Awaited<ReturnType<typeof sendRequest>>,
): string[] {
  const names = actual.headers.map(([name]) => name);
  return [
    ...differences(expected.status, actual.status, 'status'),
    ...headerDifferences(expected.headers ?? {}, actual.headers),
    ...(expected.headerNames ?? [])
      .filter((name) => !names.includes(name))
      .map((name) => `no header is spelled ${name}`),
    ...differences(
      {
        ...(expected.body === undefined ? {} : { text: expected.body }),
        ...(expected.bodyBase64 === undefined ? {} : { base64: expected.bodyBase64 }),
      },
      { text: actual.body.toString('utf8'), base64: actual.body.toString('base64') },
      'body',
    ),
  ];
}

function headerDifferences(
  expected: Readonly<Record<string, Expected>>,
  actual: readonly (readonly [string, string])[],
): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const values = actual
      .filter(([other]) => other.toLowerCase() === name.toLowerCase())
      .map(([, text]) => text);
    const found = Array.isArray(value) ? values : values.join(', ');
    return differences(value, values.length === 0 ? undefined : found, `header ${name}`);
  });
}

function gatewayResponseDifferences(fact: GatewayResponseFact): string[] {
  const resources = Object.entries(fact.defined).map(([ResponseType, properties]) => [
    ResponseType,
    {
      Type: 'AWS::ApiGateway::GatewayResponse',
      Properties: { RestApiId: { Ref: 'Api' }, ResponseType, ...properties },
    },
  ]);
  const template = createTemplate({ ...api, ...Object.fromEntries(resources) });
  const request = createRequest({ headers: [['Accept', 'text/plain']] });
  const { statusCode, headers, body } = renderGatewayResponse(
    new GatewayFault(fact.type as GatewayResponseType),
    readGatewayResponses(template),
    { request, context: createContext(request), pathParameters: {}, stageVariables: {} },
  );
  return [
    ...differences(fact.status, statusCode, 'status'),
    ...headerDifferences(fact.headers ?? {}, headers),
    ...(fact.body === undefined ? [] : differences(fact.body, String(body), 'body')),
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
