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

let service: LocalService;
/** Of all recordings in turn, so that functions which several of them have go on running. */
const directory = temporaryDirectoryOfFile();

beforeAll(async () => {
  service = await startLocalService({
    ...writeAssembly(api, {}, {}, directory),
    stackName: 'Facts',
    // No recording has a table.
    dynamodbEndpoint: 'http://127.0.0.1:9',
    log: () => {},
  });
});

afterAll(async () => {
  await service?.close();
});

describe.each(titled)('recorded by $title', ({ recording }) => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deploy(recording);
  });

  afterAll(() => deployed?.removeKey());

  it.each(recording.facts)('$id: $title', async (fact) => {
    const found = deployed.refusal ?? (await factDifferences(fact));

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

interface Deployed {
  /** Why the template is not supported, which fails each fact and may be a deviation. */
  readonly refusal: string | undefined;
  removeKey(): void;
}

/** Replaces the service's template, because each start of a service takes a moment. */
async function deploy({ api: factApi }: Recording): Promise<Deployed> {
  const { resources, code } = createFactAssembly(factApi);
  const assembly = writeAssembly(resources, code, {}, directory);
  const refusal = await service
    .replaceTemplate(assembly.templateFile)
    .then(() => undefined, String);
  const removeKey = factApi.apiKey && !refusal ? createKey(factApi.apiKey) : () => {};
  return { refusal, removeKey };
}

function createKey({ value, isEnabled }: NonNullable<FactApi['apiKey']>): () => void {
  const { controlPlane } = service;
  const key = controlPlane.createApiKey({ value, enabled: isEnabled });
  const [plan] = controlPlane.getUsagePlans();
  controlPlane.createUsagePlanKey({ usagePlanId: plan!.id, keyId: key.id });
  return () => controlPlane.deleteApiKey(key.id);
}

/** A fact that is listed as a deviation must be one: the list would otherwise outlive its reasons. */
function expectFact(id: string, found: string | string[]): void {
  const deviation = deviations.find((candidate) => candidate.id === id);

  if (deviation) expect([found].flat().join()).toContain(deviation.found);
  else expect(found).toEqual([]);
}

async function factDifferences(fact: Fact): Promise<string[]> {
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
