import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../local/dynamodb/embedded-dynamodb.ts';
import { assemblyDirectory, type TemplateResource, template } from '../helpers/synthesized.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';

/*
 * What runs locally is the template that is deployed, so a mistake in it shows in the answers. Each
 * mistake here is one change to the synthesized template, and has to be found by the probe below,
 * which finds nothing wrong with the template as it is.
 */

type Properties = TemplateResource['Properties'];
type Resources = Record<string, TemplateResource>;

let dynamodb: EmbeddedDynamoDB;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDB();
});

afterAll(() => dynamodb?.close());

const header = (name: string) => `gatewayresponse.header.${name}`;

function gatewayResponse(resources: Resources, type: string): [string, Properties] {
  const [id, { Properties }] = Object.entries(resources).find(
    ([, resource]) => resource.Properties?.ResponseType === type,
  )!;
  return [id, Properties];
}

function ofType(resources: Resources, type: string): Properties[] {
  const found = Object.values(resources).filter((resource) => resource.Type === type);
  expect(found.length).toBeGreaterThan(0);
  return found.map(({ Properties }) => Properties);
}

function operation(resources: Resources, name: string): Properties {
  return ofType(resources, 'AWS::ApiGateway::Method').find(
    ({ OperationName }) => OperationName === name,
  )!;
}

const withoutResponse = (type: string) => (resources: Resources) => {
  delete resources[gatewayResponse(resources, type)[0]];
};

const withHeader = (type: string, name: string, value: string) => (resources: Resources) => {
  gatewayResponse(resources, type)[1].ResponseParameters[header(name)] = value;
};

const withoutHeader = (type: string, name: string) => (resources: Resources) => {
  delete gatewayResponse(resources, type)[1].ResponseParameters[header(name)];
};

const mistakes: [string, (resources: Resources) => void][] = [
  ['no ACCESS_DENIED response', withoutResponse('ACCESS_DENIED')],
  ['no UNAUTHORIZED response', withoutResponse('UNAUTHORIZED')],
  [
    'another shape of the answer to an unknown path',
    (resources) => {
      for (const { HttpMethod, Integration } of ofType(resources, 'AWS::ApiGateway::Method')) {
        if (HttpMethod !== 'ANY') continue;
        Integration.IntegrationResponses[0].ResponseTemplates = { 'application/json': '{}' };
      }
    },
  ],
  [
    'Remaining in the place of Limit',
    withHeader('ACCESS_DENIED', 'X-RateLimit-Limit', 'context.authorizer.remaining'),
  ],
  ['a $ before context', withHeader('ACCESS_DENIED', 'Retry-After', '$context.authorizer.reset')],
  ['no Reset on a 401', withoutHeader('UNAUTHORIZED', 'X-RateLimit-Reset')],
  ['no WWW-Authenticate on a 401', withoutHeader('UNAUTHORIZED', 'WWW-Authenticate')],
  ['no Retry-After on a 429', withoutHeader('ACCESS_DENIED', 'Retry-After')],
  [
    'another status for a refused key',
    (resources) => {
      gatewayResponse(resources, 'ACCESS_DENIED')[1].StatusCode = '403';
    },
  ],
  [
    'an error body of another shape',
    (resources) => {
      gatewayResponse(resources, 'UNAUTHORIZED')[1].ResponseTemplates = {
        'application/json': '{"message":"$context.error.message"}',
      };
    },
  ],
  [
    'an operation without authorizer',
    (resources) => {
      operation(resources, 'cancelOrder').AuthorizationType = 'NONE';
    },
  ],
  [
    'the result of the authorizer cached',
    (resources) => {
      ofType(resources, 'AWS::ApiGateway::Authorizer')[0]!.AuthorizerResultTtlInSeconds = 300;
    },
  ],
  [
    'a list that is not streamed',
    (resources) => {
      delete operation(resources, 'listOrders').Integration.ResponseTransferMode;
    },
  ],
  [
    'the tables mixed up',
    (resources) => {
      for (const { Environment } of ofType(resources, 'AWS::Lambda::Function')) {
        const { Variables } = Environment;
        if (Variables.ORDERS_TABLE) Variables.ORDERS_TABLE = { Ref: apiKeysTable(resources) };
      }
    },
  ],
  [
    "the other stage's key prefix",
    (resources) => {
      for (const { Environment } of ofType(resources, 'AWS::Lambda::Function')) {
        if (Environment.Variables.API_KEY_PREFIX) Environment.Variables.API_KEY_PREFIX = 'so_live_';
      }
    },
  ],
  [
    'a usage plan that throttles before the limiter does',
    (resources) => {
      for (const plan of ofType(resources, 'AWS::ApiGateway::UsagePlan')) {
        plan.Throttle = { RateLimit: 0.01, BurstLimit: 2 };
      }
    },
  ],
];

function apiKeysTable(resources: Resources): string {
  return Object.keys(resources).find(
    (id) => resources[id]!.Type === 'AWS::DynamoDB::Table' && id.includes('ApiKeys'),
  )!;
}

let written = 0;

/** Starts the template with a change, and asks it what every client would. */
async function probe(change: (resources: Resources) => void): Promise<void> {
  const changed = template('staging');
  change(changed.Resources);
  const file = `${assemblyDirectory()}/mistake-${process.pid}-${++written}.json`;
  await writeFile(file, JSON.stringify(changed));
  try {
    await using store = await RunningStore.start({
      templateFile: file,
      dynamodbEndpoint: dynamodb.endpoint,
    });
    await askEverything(store);
  } finally {
    await rm(file);
  }
}

async function askEverything(store: RunningStore): Promise<void> {
  await store.putOrders([{ id: '1', status: 'pending' }]);
  const key = await store.issue('free');
  const first = await store.list(key.apiKey);
  expect([first.status, headerOf(first, 'content-type')]).toEqual([200, 'application/json']);
  expect(headerOf(first, 'transfer-encoding')).toBe('chunked');
  expect(first.text).toMatch(/^\[\{.*"id":1\b.*\}\]$/);
  expect(rateLimitOf(first)).toMatchObject({ limit: 60, remaining: 59 });

  expectError(await store.list(), 401, 'unauthorized');
  expectError(await store.cancel('1'), 401, 'unauthorized');
  const wrong = await store.cancel('1', `${key.apiKey.slice(0, -1)}_`);
  expectError(wrong, 401, 'unauthorized');
  expect(headerOf(wrong, 'www-authenticate')).toBe('Bearer realm="store-orders"');
  expectError(await store.call('GET', '/nothing', { token: key.apiKey }), 404, 'not_found');

  expect((await store.cancel('1', key.apiKey)).status).toBe(204);
  const again = await store.cancel('1', key.apiKey);
  expectError(again, 409, 'order_already_cancelled');
  expect(rateLimitOf(again).remaining).toBe(57);
  await store.setCounters(key, { minuteCount: 60 });
  const refused = await store.cancel('1', key.apiKey);
  expectError(refused, 429, 'rate_limit_exceeded');
  expect(rateLimitOf(refused)).toMatchObject({ limit: 60, remaining: 0 });
  expect(Number(headerOf(refused, 'retry-after'))).toBeLessThanOrEqual(120);
}

describe('the template', () => {
  it.each(mistakes)('does not pass the probe with %s', async (_, change) => {
    await expect(probe(change)).rejects.toThrow();
  });

  // Last: nothing that the others left behind is what they failed on.
  it('as it is passes the probe', async () => {
    await probe(() => {});
  });
});
