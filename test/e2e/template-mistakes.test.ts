import { copyFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import {
  assemblyDirectory,
  assetsManifestFile,
  type Template,
  type TemplateResource,
  template,
} from '../helpers/synthesized.ts';
import {
  expectError,
  headerOf,
  patientTemplate,
  RunningStore,
  rateLimitOf,
} from './running-store.ts';

/*
 * A local run uses the template that is deployed, so a mistake in it shows in the answers. Each mistake
 * here is a change to the synthesized template. The probe below has to find it, and must find nothing in
 * the unchanged template.
 */

type Properties = TemplateResource['Properties'];
type Resources = Record<string, TemplateResource>;

/** The template that the store runs next, and its manifest. The assets are in the same folder. */
const changedTemplate = `${assemblyDirectory()}/mistake-${process.pid}.template.json`;
const manifest = changedTemplate.replace('.template.', '.assets.');

/** Its template is replaced for each mistake, since a store takes long to start. */
let store: RunningStore;

beforeAll(async () => {
  await copyFile(assetsManifestFile('staging'), manifest);
  store = await RunningStore.start();
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await Promise.all([changedTemplate, manifest].map((file) => rm(file, { force: true })));
});

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
  ['no RateLimit on a 401', withoutHeader('UNAUTHORIZED', 'RateLimit')],
  [
    'the policy in the place of the limit',
    withHeader('ACCESS_DENIED', 'RateLimit', 'context.authorizer.rateLimitPolicy'),
  ],
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

interface Grant {
  readonly role: string;
  readonly action: string;
  /** The statement with the grant. Its actions and resources are lists. */
  readonly statementIn: (resources: Resources) => Properties;
}

/** Every action on a table that the template grants to a role. */
function grants({ Resources: resources }: { Resources: Resources }): Grant[] {
  return Object.entries(resources).flatMap(([role, { Type, Properties }]) => {
    if (Type !== 'AWS::IAM::Role') return [];
    const policies: Properties[] = Properties.Policies ?? [];
    return policies.flatMap(({ PolicyDocument }, policyIndex) =>
      PolicyDocument.Statement.flatMap(({ Action }: Properties, index: number) => {
        const statementIn = (changed: Resources) => {
          const policy = changed[role]!.Properties.Policies[policyIndex];
          const statement = policy.PolicyDocument.Statement[index];
          statement.Action = [statement.Action].flat();
          statement.Resource = [statement.Resource].flat();
          return statement;
        };
        const actions: string[] = [Action].flat();
        return actions
          .filter((action) => action.startsWith('dynamodb:'))
          .map((action) => ({ role, action, statementIn }));
      }),
    );
  });
}

function apiKeysTable(resources: Resources): string {
  return Object.keys(resources).find(
    (id) => resources[id]!.Type === 'AWS::DynamoDB::Table' && id.includes('ApiKeys'),
  )!;
}

/** Runs the template with a change and sends it a client's usual requests. */
async function probe(change: (resources: Resources) => void): Promise<void> {
  const changed: Template = JSON.parse(patientTemplate('staging'));
  change(changed.Resources);
  await writeFile(changedTemplate, JSON.stringify(changed));
  store.lines.length = 0;
  await store.service.replaceTemplate(changedTemplate);
  await askEverything().catch((cause) => {
    throw new Error(store.lines.join('\n'), { cause });
  });
}

/** Has the length of a key, but a character that no key has. */
const noKey = `so_test_${'x'.repeat(45)}_`;

async function askEverything(): Promise<void> {
  // First what needs no function and no key, which take a moment to make. Most mistakes show here.
  expectError(await store.list(), 401, 'unauthorized');
  expectError(await store.cancel('1'), 401, 'unauthorized');
  const wrong = await store.cancel('1', noKey);
  expectError(wrong, 401, 'unauthorized');
  expect(headerOf(wrong, 'www-authenticate')).toBe('Bearer realm="store-orders"');
  expectError(await store.call('GET', '/nothing', { token: noKey }), 404, 'not_found');

  await store.putOrders([{ id: '1', status: 'pending' }]);
  const { perMinute: limit } = plans.free;
  const key = await store.issue('free');
  await store.setCounters(key, { minuteCount: limit });
  const refused = await store.cancel('1', key.apiKey);
  expectError(refused, 429, 'rate_limit_exceeded');
  expect(rateLimitOf(refused)).toMatchObject({ limit, remaining: 0 });
  expect(Number(headerOf(refused, 'retry-after'))).toBeLessThanOrEqual(120);

  await store.setCounters(key, { minuteCount: 0 });
  const first = await store.list(key.apiKey);
  expect([first.status, headerOf(first, 'content-type')]).toEqual([200, 'application/json']);
  expect(headerOf(first, 'transfer-encoding')).toBe('chunked');
  expect(first.text).toMatch(/^\[\{.*"id":1\b.*\}\]$/);
  expect(rateLimitOf(first)).toMatchObject({ limit, remaining: limit - 1 });

  expect((await store.cancel('1', key.apiKey)).status).toBe(204);
  const again = await store.cancel('1', key.apiKey);
  expectError(again, 409, 'order_already_cancelled');
  expect(rateLimitOf(again).remaining).toBe(limit - 3);
}

describe('the template', () => {
  it.each(mistakes)('does not pass the probe with %s', async (_, change) => {
    await expect(probe(change)).rejects.toThrow();
  });

  it.each(grants(template('staging')))(
    'does not pass the probe without $action for $role',
    async ({ action, statementIn }) => {
      const withoutGrant = probe((resources) => {
        const statement = statementIn(resources);
        statement.Action = statement.Action.filter((other: string) => other !== action);
        if (statement.Action.length === 0) statement.Action = ['dynamodb:DescribeTable'];
      });

      await expect(withoutGrant).rejects.toThrow(`is not authorized to perform ${action} on arn:`);
    },
  );

  it.each(grants(template('staging')))(
    'does not pass the probe with $action for $role on the indexes of the table alone',
    async ({ statementIn }) => {
      const onIndexes = probe((resources) => {
        const statement = statementIn(resources);
        statement.Resource = statement.Resource.map((table: unknown) => ({
          'Fn::Join': ['', [table, '/index/*']],
        }));
      });

      // A statement has several actions, of which the function's first call is denied.
      await expect(onIndexes).rejects.toThrow(/is not authorized to perform dynamodb:\w+ on arn:/);
    },
  );

  it('does not pass the probe with a role that another service is to assume', async () => {
    const notTrusted = probe((resources) => {
      const [role] = Object.values(resources).filter(({ Type }) => Type === 'AWS::IAM::Role');
      role!.Properties.AssumeRolePolicyDocument.Statement[0].Principal.Service =
        'ec2.amazonaws.com';
    });

    await expect(notTrusted).rejects.toThrow('lambda.amazonaws.com may not assume this role');
  });

  // Last: nothing that the others left behind is what they failed on.
  it('as it is passes the probe', async () => {
    await probe(() => {});
  });
});
