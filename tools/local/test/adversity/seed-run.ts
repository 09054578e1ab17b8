import {
  ConditionalCheckFailedException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { orderItem } from '../../../../test/helpers/dynamodb/orders.ts';
import { type DatabaseCall, faultKinds, type Mixture, noFaults } from './faulty-dynamodb.ts';
import { type Random, randomFrom } from './random.ts';
import type { Answer, ServiceInThread } from './service-in-thread.ts';

/** An action in a run: a client's request, or an order that an operator ships. */
type Action =
  | { readonly type: 'list'; readonly isGzip: boolean }
  | { readonly type: 'cancel'; readonly orderId: string }
  | { readonly type: 'ship'; readonly orderId: string }
  | { readonly type: 'bad-key'; readonly orderId: string | undefined; readonly token: string };

/** Everything that a seed determines. */
interface SeedPlan {
  readonly mixture: Mixture;
  readonly perMinute: number;
  /** The waves run one after the other. The actions of one wave run at the same time. */
  readonly waves: readonly (readonly Action[])[];
}

/** An action with its result. */
export interface ActionResult {
  readonly action: Action;
  /** The answer to a client's request; undefined for the operator's action. */
  readonly answer: Answer | undefined;
  /** Whether the operator has shipped the order. */
  readonly hasShipped: boolean;
  readonly tookMs: number;
}

/** The record of a run, from which the invariants are checked. */
export interface SeedRecord {
  readonly plan: SeedPlan;
  readonly results: readonly ActionResult[];
  /** The results of the actions after the faults have ended. */
  readonly recovery: readonly ActionResult[];
  /** The status and the cancelling caller of each order when the faults have ended. */
  readonly orders: ReadonlyMap<string, { readonly status: string; readonly cancelledBy: string }>;
  /** What the functions asked of the database while there were faults. */
  readonly databaseCalls: readonly DatabaseCall[];
}

/** The orders at the start of a run, with their status. */
export const knownOrders: Readonly<Record<string, string>> = {
  1: 'pending',
  2: 'pending',
  3: 'pending',
  '9007199254740993': 'pending',
  '-5': 'pending',
  6: 'shipped',
  7: 'cancelled',
  8: 'never-used',
};

/** The order that is used at the end of a run, after the faults. */
export const lastOrder = '9223372036854775807';

const rates = [0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1];
const limits = [3, 6, 10, 1_000];
const orderIds = [...Object.keys(knownOrders), '404', '007', '9223372036854775808'];
const badKeys = ['', 'wrong', `so_test_${'a'.repeat(46)}`];

/** Generates the plan of a seed. */
export function planOf(seed: number): SeedPlan {
  const random = randomFrom(seed, 'plan');
  const list = () => ({ type: 'list', isGzip: random.chance(0.5) }) as const;
  const cancel = () => ({ type: 'cancel', orderId: random.pick(orderIds) }) as const;
  const badKey = () => {
    const orderId = random.pick(['1', undefined]);
    return { type: 'bad-key', orderId, token: random.pick(badKeys) } as const;
  };
  const ship = () => ({ type: 'ship', orderId: random.pick(Object.keys(knownOrders)) }) as const;
  const wheel: (() => Action)[] = [...Array(3).fill(list), ...Array(6).fill(cancel), badKey, ship];
  const wave = () => Array.from({ length: random.integer(1, 7) }, () => random.pick(wheel)());
  return {
    mixture: mixtureOf(seed, random),
    perMinute: random.pick(limits),
    waves: Array.from({ length: random.integer(2, 5) }, wave),
  };
}

/** Chooses one kind of fault, some kinds, or all. */
function mixtureOf(seed: number, random: Random): Mixture {
  const some = faultKinds.filter(() => random.chance(0.4));
  const kinds = random.pick([[random.pick(faultKinds)], some, faultKinds]);
  return {
    seed,
    rate: random.pick(rates),
    kinds: kinds.length > 0 ? kinds : faultKinds,
    ordersPerPage: random.pick([1, 2, 3, 5, 1_000]),
  };
}

const afterwards: readonly Action[] = [
  { type: 'list', isGzip: false },
  { type: 'cancel', orderId: lastOrder },
  { type: 'cancel', orderId: lastOrder },
  { type: 'bad-key', orderId: '1', token: 'wrong' },
  { type: 'list', isGzip: true },
];

/** Runs the plan of a seed. The service serves one run at a time. */
export async function runSeed(seed: number, service: ServiceInThread): Promise<SeedRecord> {
  const plan = planOf(seed);
  const { dynamodb } = service;
  dynamodb.use(noFaults);
  await putKnownOrders(service);
  const token = await service.issueKey(plan.perMinute);
  const act = async (action: Action, token: string): Promise<ActionResult> => {
    const beganAtMs = performance.now();
    const isShipping = action.type === 'ship';
    const hasShipped = isShipping && (await ship(action.orderId, service));
    const answer = isShipping ? undefined : await service.ask({ token, ...action });
    return { action, answer, hasShipped, tookMs: performance.now() - beganAtMs };
  };
  dynamodb.use(plan.mixture);
  const results: ActionResult[] = [];
  for (const wave of plan.waves) {
    results.push(...(await Promise.all(wave.map((action) => act(action, token)))));
  }
  await dynamodb.isIdle();
  const orders = await readOrders(service);
  const databaseCalls = [...dynamodb.databaseCalls.values()];
  dynamodb.use(noFaults);
  const lastToken = await service.issueKey(100);
  const recovery: ActionResult[] = [];
  for (const action of afterwards) recovery.push(await act(action, lastToken));
  return { plan, results, recovery, orders, databaseCalls };
}

/* The operator's actions use the database without faults. */

async function putKnownOrders({ database, ordersTable }: ServiceInThread): Promise<void> {
  const orders = Object.entries({ ...knownOrders, [lastOrder]: 'pending' });
  const TransactItems = orders.map(([id, status]) => ({
    Put: { TableName: ordersTable, Item: orderItem(id, { status: { S: status } }) },
  }));
  await database.dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
}

async function readOrders({ database, ordersTable }: ServiceInThread) {
  const items = await database.readAll(ordersTable);
  const orders = items.map(({ id, status, cancelledBy }) => {
    return [id!.N!, { status: status!.S!, cancelledBy: cancelledBy?.S ?? '' }] as const;
  });
  return new Map(orders);
}

/** Ships an order if it is pending. Returns whether it was. */
async function ship(id: string, { database, ordersTable }: ServiceInThread): Promise<boolean> {
  const command = new UpdateItemCommand({
    TableName: ordersTable,
    Key: { id: { N: id } },
    UpdateExpression: 'SET #status = :shipped',
    ConditionExpression: '#status = :pending',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':shipped': { S: 'shipped' }, ':pending': { S: 'pending' } },
  });
  try {
    await database.dynamodb.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
