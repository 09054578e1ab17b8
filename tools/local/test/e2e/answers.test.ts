import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { orderFieldNames } from '../../../../lambdas/orders/order-fields.ts';
import { cancelRefusal, orderStatuses } from '../../../../lambdas/orders/order-states.ts';
import { operationNames } from '../../../../lib/settings/functions.ts';
import { type PlanName, planNames, plans } from '../../../../lib/settings/plans.ts';
import { operations, operationsWith } from '../../../../test/contract/contract.ts';
import { expectContained } from '../../../../test/helpers/agreement.ts';
import { contentType, disowned, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { orderItems, scanAnswer, splitArray } from '../../../../test/helpers/dynamodb/orders.ts';
import type { IssuedKey } from '../../../admin/keys/new-key.ts';
import { selectChecks } from '../../../smoke/checks.ts';
import type { Answer } from '../../../smoke/stage/http-client.ts';
import { type CallOptions, codeOf, Stage } from '../../../smoke/stage/stage.ts';
import { lastingMinute, type RunningStore, startStore, today } from './running-store.ts';

/*
 * Every answer that the contract documents is provoked from the local service, which runs the template
 * that is deployed, and is compared with the contract: by the checks of the smoke test as far as a client
 * can provoke it, and by the rows below otherwise.
 */

const largest = '9223372036854775807';
const orders = [
  { id: largest, status: 'pending' },
  // One in each state from which an order cannot be cancelled, and one in a state that is not known.
  ...[...orderStatuses.filter((status) => status !== 'pending'), 'never-used'].map(
    (status, index) => ({ id: String(index + 2), status }),
  ),
];

/** The limits of the owner with the plan enterprise. */
const ownLimits = { perMinute: 2_000, perDay: 300_000 };

// The clock stands still, so that times in headers agree even if a busy machine takes long.
const nowMs = Date.now();
let store: RunningStore;
let keys: Readonly<Record<PlanName, IssuedKey>>;
/** An answer: the operation, the status and the error's code. */
const seen = new Set<string>();

beforeAll(async () => {
  store = await startStore(() => nowMs);
  const issued = planNames.map(async (plan) => [plan, await store.issue(plan, ownLimits)] as const);
  keys = Object.fromEntries(await Promise.all(issued)) as Record<PlanName, IssuedKey>;
  await Promise.all([
    store.putOrders(orders),
    store.setCounters(keys.free, {
      minuteWindow: lastingMinute(nowMs),
      minuteCount: plans.free.perMinute,
    }),
    store.setCounters(keys.pro, { dayWindow: today(nowMs), dayCount: plans.pro.perDay }),
    store.setCounters(keys.business, { bannedUntil: lastingMinute(nowMs) }),
  ]);
});

afterEach(() => store.proxy.faults.clear());

afterAll(() => store?.[Symbol.asyncDispose]());

/** A stage that records all answers. */
class NotedStage extends Stage {
  override async call(operationId: string, options?: CallOptions): Promise<Answer> {
    const answer = await super.call(operationId, options);
    seen.add([operationId, answer.status, codeOf(answer)].join(' ').trim());
    return answer;
  }
}

function stageFor({ apiKey }: IssuedKey): Stage {
  return new NotedStage(store.send, apiKey);
}

const checks = selectChecks({ cancelOrder: largest, limits: false });
const lastChecks = selectChecks({ cancelOrder: largest, limits: true }).slice(checks.length);

describe.each([...Map.groupBy(checks, ({ group }) => group)])('%s', (_, ofGroup) => {
  it.each(ofGroup)('$title', async ({ run }) => {
    await run(stageFor(keys.enterprise));
  });
});

describe('an allowance that is used up', () => {
  let key: IssuedKey;

  beforeAll(async () => {
    key = await store.issue('free');
    await store.setCounters(key, { minuteCount: plans.free.perMinute - 12 });
  });

  it.each(lastChecks)('$group: $title', async ({ run }) => {
    await run(stageFor(key));
  });
});

it('I18: a read-only key can list orders, and not cancel one', async () => {
  const stage = stageFor(await store.issue('free', undefined, { readOnly: true }));

  await stage.expect('listOrders', {}, { status: 200 });
  for (const orderId of [largest, '007']) {
    await stage.expect('cancelOrder', { orderId }, { status: 403, code: 'insufficient_scope' });
  }
});

interface Provocation {
  readonly status: number;
  readonly code: string;
  readonly plan?: PlanName;
  /** Prevents DynamoDB from answering. */
  readonly before?: () => unknown;
  /** @default - the operations that document the error */
  readonly operationIds?: readonly string[];
  readonly options?: CallOptions;
}

const provocations: Provocation[] = [
  ...orders.slice(1).map(({ id, status }) => ({
    status: 409,
    code: cancelRefusal(status),
    options: { orderId: id },
  })),
  {
    status: 404,
    code: 'not_found',
    operationIds: operations
      .filter(({ path }) => path.includes('{orderId}'))
      .map(({ operationId }) => operationId),
    options: { orderId: '1/x' },
  },
  {
    status: 413,
    code: 'request_too_large',
    options: { orderId: '2', body: ' '.repeat(2 ** 14 + 1) },
  },
  {
    status: 404,
    code: 'not_found',
    operationIds: ['getPet'],
    options: { headers: { 'content-type': 'application/vnd.acme+json' } },
  },
  { status: 429, code: 'rate_limit_exceeded', plan: 'free' },
  { status: 429, code: 'quota_exceeded', plan: 'pro' },
  { status: 429, code: 'api_key_banned', plan: 'business' },
  // The function answers these, after the authorizer has recognised the key.
  {
    status: 503,
    code: 'service_unavailable',
    operationIds: operationNames,
    before: () => store.proxy.faults.set(store.ordersTable, lost),
  },
  {
    status: 500,
    code: 'internal_error',
    operationIds: operationNames,
    before: () => store.proxy.faults.set(store.ordersTable, disowned),
  },
  // The gateway answers this one, because the authorizer fails without DynamoDB.
  {
    status: 503,
    code: 'service_unavailable',
    before: () => store.proxy.faults.set('', lost),
  },
];

/**
 * The errors that this test cannot provoke. test/contract/template.test.ts compares them with the gateway responses.
 */
const notProvoked = new Set([
  // These errors need a firewall, which no stage has by default.
  ...operations.map(({ operationId }) => `${operationId} 403 forbidden`),
  // A read-only key may read, so it cannot cause these errors.
  ...operations
    .filter(({ method }) => method === 'GET')
    .map(({ operationId }) => `${operationId} 403 insufficient_scope`),
  // If a table does not answer, the functions wait for a second or two, and then answer 503.
  ...operations.map(({ operationId }) => `${operationId} 504 timeout`),
  // The gateway gives this fixed answer itself, so no step can fail.
  'getPet 500 internal_error',
]);

describe('a response that a client alone cannot provoke', () => {
  it.each(provocations)('I14, I15: is documented: $status $code', async (provocation) => {
    const { status, code, plan = 'enterprise', before, options = { orderId: '2' } } = provocation;
    const documenting = operationsWith({ status, code }).map(({ operationId }) => operationId);
    const { operationIds = documenting } = provocation;
    await before?.();

    expect(operationIds).not.toEqual([]);
    for (const operation of operationIds) {
      await stageFor(keys[plan]).expect(operation, options, { status, code });
    }
  });

  it('includes every error that the contract documents, except the listed ones', () => {
    const documented = operations.flatMap(({ operationId, responses }) => {
      const { default: _ofOtherSystems, ...own } = responses;
      return Object.entries(own).flatMap(([status, { content }]) => {
        const examples = Object.values(content?.['application/json']?.examples ?? { none: {} });
        return examples.map(({ value }: { value?: { code?: string } }) =>
          [operationId, status, value?.code].join(' ').trim(),
        );
      });
    });

    expectContained(
      ['openapi.yaml', documented.filter((answer) => !notProvoked.has(answer))],
      ['what tools/local/test/e2e/answers.test.ts provoked', seen],
    );
  });
});

// test/lambdas/list-orders.test.ts tests slow clients, and a table that fails at once.

const openList = (encoding = 'identity') =>
  fetch(`${store.baseUrl}/store/orders`, {
    headers: { authorization: `Bearer ${keys.enterprise.apiKey}`, 'accept-encoding': encoding },
  });

/** All ids, sorted and as one text, because a diff of two long lists would not be readable. */
function idsIn(body: string): string {
  const ids = splitArray(body).map((order) => /"id":(-?\d+)/.exec(order)?.[1]);
  return ids.sort().join();
}

it('R8, R11, I2: has all orders, digit for digit, of many pages and of every status, gzipped or not', async () => {
  const ids = [
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    ...Array.from({ length: 400 }, (_, index) => String(1_000_000 + index)),
  ];
  const statuses = [...orderStatuses, 'never-used'];
  // A page of a scan contains 1 MB of items, including attributes that are not requested.
  const neverUsed = 'x'.repeat(8_000);
  const status = (index: number) => statuses[index % statuses.length]!;
  await store.putOrders(ids.map((id, index) => ({ id, status: status(index), neverUsed })));

  const plain = await openList();
  const body = await plain.text();
  const zipped = await openList('gzip');

  // R11 does not specify an order.
  const all = new Set([...ids, ...orders.map(({ id }) => id)]);
  expect(idsIn(body) === [...all].sort().join()).toBe(true);
  const listed: object[] = JSON.parse(body);
  const shapes = new Set(listed.map((order) => Object.keys(order).join()));
  expect([...shapes]).toEqual([orderFieldNames.join()]);
  expect(listed[0]).toMatchObject({ petId: 7, quantity: 2, complete: false });
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(idsIn(await zipped.text()) === idsIn(body)).toBe(true);
});

it('R10: can be larger than a buffered response', async () => {
  const page = scanAnswer(orderItems(5_000), '5000');
  let scans = 0;
  store.proxy.faults.set(store.ordersTable, ({ outgoing }) => {
    outgoing.writeHead(200, contentType).end(++scans > 30 ? scanAnswer([]) : page);
  });

  const list = await openList();
  const body = await list.text();

  expect([list.status, body.at(-1)]).toEqual([200, ']']);
  expect(body.length).toBeGreaterThan(10 * 2 ** 20);
});
