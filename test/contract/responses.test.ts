import { text as textOf } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../lambdas/shared/api-key.ts';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import type { ComparedAnswer } from '../../smoke/stage/contract.ts';
import { HttpClient } from '../../smoke/stage/http-client.ts';
import { rateLimitFieldDifferences } from '../../smoke/stage/rate-limit-fields.ts';
import { type CallOptions, codeOf, Stage, serverSeconds } from '../../smoke/stage/stage.ts';
import { RunningStore } from '../e2e/running-store.ts';
import { contract } from '../helpers/contract-check.ts';
import { missing } from '../helpers/differences.ts';
import { DynamodbProxy, disowned, lost } from '../helpers/dynamodb/dynamodb-proxy.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { splitArray } from '../helpers/dynamodb/orders.ts';
import {
  documentedErrors,
  type ErrorBody,
  undocumentedErrors,
  unseenErrors,
} from './documented-errors.ts';
import { independentFindings } from './independent-validator.ts';

const largest = '9223372036854775807';
/** What is in the table before each test. */
const orders = [
  { id: largest, status: 'pending' },
  { id: '2', status: 'shipped' },
  { id: '3', status: 'cancelled' },
  { id: '4', status: 'returned' },
  { id: '5', status: 'pending' },
];

let database: EmbeddedDynamoDb;
let endpoint: DynamodbProxy;
let store: RunningStore;
let client: HttpClient;
let tokens: Readonly<Record<PlanName, string>>;

beforeAll(async () => {
  database = await startDynamoDb();
  endpoint = await DynamodbProxy.before(database.endpoint);
  store = await RunningStore.start({
    dynamodbEndpoint: endpoint.url,
    dataEndpoint: database.endpoint,
  });
  client = new HttpClient(new URL(store.baseUrl), 30_000);
  tokens = Object.fromEntries(
    await Promise.all(
      planNames.map(async (plan) => [plan, (await store.issue(plan)).apiKey] as const),
    ),
  ) as Record<PlanName, string>;
}, 60_000);

beforeEach(() => store.putOrders(orders));

afterEach(() => endpoint.faults.clear());

afterAll(async () => {
  client?.close();
  await store?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
  await database?.stop();
});

const call = (operationId: string, options: CallOptions = {}, plan: PlanName = 'enterprise') =>
  new Stage(client, contract, tokens[plan]).call(operationId, options);

const withBrokenBody = {
  body: '{',
  headers: { 'content-type': 'application/json' },
} satisfies CallOptions;

/** Brings a key's item into a state that would take a day, or a misbehaving client, to reach. */
async function updateKey(plan: PlanName, expression: string, values: Record<string, number>) {
  await database.dynamodb.send(
    new UpdateItemCommand({
      TableName: store.apiKeysTable,
      Key: { ownerHash: { S: hashOwnerPart(tokens[plan]) } },
      UpdateExpression: expression,
      ...(expression.includes('#') && {
        ExpressionAttributeNames: { '#keys': 'keys', '#key': hashToken(tokens[plan]) },
      }),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { N: String(value) }]),
      ),
    }),
  );
}

/** Uses up the next minute, because the current one could end before the request. */
const useUpMinute = () =>
  updateKey('free', 'SET minuteWindow = :minute, minuteCount = :limit', {
    ':minute': (Math.floor(Date.now() / 60_000) + 1) * 60,
    ':limit': plans.free.perMinute,
  });

const useUpDay = () =>
  updateKey('pro', 'SET dayWindow = :day, dayCount = :limit', {
    ':day': Math.floor(Date.now() / 86_400_000) * 86_400,
    ':limit': plans.pro.perDay,
  });

const ban = () =>
  updateKey('business', 'SET #keys.#key.bannedUntil = :until', {
    ':until': Math.floor(Date.now() / 1_000) + 300,
  });

const refuseOrders = () => endpoint.faults.set(store.ordersTable, lost);
const disownOrders = () => endpoint.faults.set(store.ordersTable, disowned);
const refuseEverything = () => endpoint.faults.set('', lost);

interface Provocation {
  readonly operation: string;
  readonly status: number;
  readonly code?: string;
  readonly options?: CallOptions;
  readonly plan?: PlanName;
  readonly before?: () => unknown;
}

const refused: CallOptions = { authorization: 'Bearer wrong' };

const provocations: Provocation[] = [
  { operation: 'listOrders', status: 200 },
  { operation: 'listOrders', status: 400, code: 'invalid_body', options: withBrokenBody },
  { operation: 'listOrders', status: 401, code: 'unauthorized', options: refused },
  { operation: 'cancelOrder', status: 204, options: { orderId: largest } },
  {
    operation: 'cancelOrder',
    status: 409,
    code: 'order_already_cancelled',
    options: { orderId: '3' },
  },
  {
    operation: 'cancelOrder',
    status: 409,
    code: 'order_already_shipped',
    options: { orderId: '2' },
  },
  {
    operation: 'cancelOrder',
    status: 409,
    code: 'order_not_cancellable',
    options: { orderId: '4' },
  },
  { operation: 'cancelOrder', status: 404, code: 'order_not_found', options: { orderId: '99' } },
  { operation: 'cancelOrder', status: 404, code: 'not_found', options: { orderId: '' } },
  { operation: 'cancelOrder', status: 400, code: 'invalid_order_id', options: { orderId: '007' } },
  {
    operation: 'cancelOrder',
    status: 400,
    code: 'invalid_body',
    options: { orderId: '5', ...withBrokenBody },
  },
  {
    operation: 'cancelOrder',
    status: 401,
    code: 'unauthorized',
    options: { ...refused, orderId: '5' },
  },
  { operation: 'getPet', status: 410, code: 'gone' },
  { operation: 'getPet', status: 401, code: 'unauthorized', options: refused },
  {
    operation: 'getPet',
    status: 415,
    code: 'unsupported_media_type',
    options: { headers: { 'content-type': 'text/plain' } },
  },
  ...['listOrders', 'cancelOrder', 'getPet'].flatMap((operation): Provocation[] => {
    const limited = { operation, status: 429, options: { orderId: '5' } };
    return [
      { ...limited, code: 'rate_limit_exceeded', plan: 'free', before: useUpMinute },
      { ...limited, code: 'quota_exceeded', plan: 'pro', before: useUpDay },
      { ...limited, code: 'api_key_banned', plan: 'business', before: ban },
    ];
  }),
  ...['listOrders', 'cancelOrder'].flatMap((operation): Provocation[] => {
    const asked = { operation, options: { orderId: '5' } };
    return [
      // The function answers these, after the authorizer has recognised the key.
      { ...asked, status: 503, code: 'service_unavailable', before: refuseOrders },
      { ...asked, status: 500, code: 'internal_error', before: disownOrders },
    ];
  }),
  // The gateway answers these, because the authorizer fails without DynamoDB.
  ...['listOrders', 'cancelOrder', 'getPet'].map((operation): Provocation => {
    const asked = { operation, options: { orderId: '5' } };
    return { ...asked, status: 503, code: 'service_unavailable', before: refuseEverything };
  }),
];

/** Documented answers that cannot be provoked here; template.test.ts compares them with the gateway responses. */
const notProvoked = new Set([
  // A table that does not answer is a 503 after a second or two: the functions do not wait longer.
  'listOrders 504',
  'cancelOrder 504',
  'getPet 504',
  // A fixed answer of the gateway's own: there is nothing in it that could fail.
  'getPet 500',
]);

const provocationsPlace = 'test/contract/responses.test.ts, provocations';

describe('responses of the running service', () => {
  it('listOrders: 200, gzipped, as documented', async () => {
    const stage = new Stage(client, contract, tokens.enterprise);
    const { status, headers, body } = await stage.open('listOrders', {
      headers: { 'accept-encoding': 'gzip' },
    });
    const text = await textOf(body.pipe(createGunzip()));

    expect(headers.get('content-encoding')).toEqual(['gzip']);
    expect(differencesOf('listOrders', { status, headers, text })).toEqual([]);
  });

  const titled = provocations.map((provocation) => {
    const { operation, status, code = '' } = provocation;
    return [`${operation}: ${status} ${code}`.trim(), provocation] as const;
  });

  it.each(titled)('I14, I15: %s, as documented', async (_title, provocation) => {
    const { operation, status, code, options, plan, before } = provocation;
    await before?.();

    const answer = await call(operation, options, plan);

    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(differencesOf(operation, answer)).toEqual([]);
    expect(independentFindings(operation, answer)).toEqual([]);
    if (status >= 400) {
      seenErrors.push(JSON.parse(answer.text));
      expect(undocumentedErrors(operation, JSON.parse(answer.text))).toEqual([]);
    }
  });

  it('are provoked for every documented status, but for those that cannot be', () => {
    const provoked = new Set(provocations.map(({ operation, status }) => `${operation} ${status}`));
    const documented = contract
      .operations()
      .flatMap(({ operationId, responses }) =>
        Object.keys(responses as object).map((status) => `${operationId} ${status}`),
      );

    const expected = documented.filter((one) => !notProvoked.has(one));

    expect(missing(['openapi.yaml', expected], [provocationsPlace, provoked])).toEqual([]);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/store'],
    ['PUT', '/store/orders'],
    ['GET', '/store/orders/3'],
    ['DELETE', '/store/orders/3/4'],
    ['OPTIONS', '/store/orders'],
  ])(
    'I10: are 404 not_found as documented for %s %s, which is no operation',
    async (method, path) => {
      const stage = new Stage(client, contract, tokens.enterprise);

      const answer = await stage.callPath(method, path);

      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
      expect(contract.gatewayDifferences('MISSING_AUTHENTICATION_TOKEN', answer)).toEqual([]);
      expect(rateLimitFieldDifferences(answer, serverSeconds(answer))).toEqual([]);
    },
  );
});

const seenErrors: ErrorBody[] = [];

describe('the errors of the contract', () => {
  it('are the words of the authorizer where they are its own', () => {
    expect(unseenErrors(seenErrors)).toEqual([]);
  });

  it.each(contract.operations().map(({ operationId }) => operationId))(
    'are provoked here, each code of %s, but for those that cannot be',
    (operation) => {
      const { responses } = contract.operation(operation) as unknown as { responses: object };
      const codes = Object.keys(responses)
        .filter((status) => !notProvoked.has(`${operation} ${status}`))
        .flatMap((status) => documentedErrors(operation, Number(status)))
        .map(({ status, code }) => `${status} ${code}`);
      const provoked = provocations
        .filter((provocation) => provocation.operation === operation)
        .map(({ status, code }) => `${status} ${code}`);

      expect(missing([`openapi.yaml, ${operation}`, codes], [provocationsPlace, provoked])).toEqual(
        [],
      );
    },
  );
});

type ComparedText = ComparedAnswer & { readonly text: string };

/** A list is compared order by order: its text is what shows whether an id was rounded. */
function differencesOf(operation: string, answer: ComparedText): string[] {
  const fields = rateLimitFieldDifferences(answer, serverSeconds(answer));
  if (operation !== 'listOrders' || answer.status !== 200) {
    return [...contract.differences(operation, answer), ...fields];
  }
  const listed = splitArray(answer.text);
  expect(listed).toHaveLength(orders.length);
  expect(answer.text).toContain(`"id":${largest}`);
  const { status, headers } = answer;
  return [
    ...contract.differences(operation, { status, headers }),
    ...fields,
    ...listed.flatMap((order) => contract.orderDifferences(order)),
  ];
}
