import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { orderItem } from '../../helpers/dynamodb/orders.ts';
import type { FaultKind } from './fault-kinds.ts';
import { type DoneWrite, noFaults } from './faulty-dynamodb.ts';
import { type Action, knownOrders, lastOrder, planOf, type SeedPlan } from './seed-plan.ts';
import type { StoreAnswer, StoreRequest, StoreUnderFaults } from './store-under-faults.ts';

/** An action with its result. The times are those of `performance.now()`. */
export interface ActionResult {
  readonly action: Action;
  /** The answer to a client's request; undefined for an operator's action. */
  readonly answer: StoreAnswer | undefined;
  /** Whether an operator's action changed anything. */
  readonly isDone: boolean;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
}

/** The record of a run, from which the invariants are checked. */
export interface SeedRecord {
  readonly plan: SeedPlan;
  readonly results: readonly ActionResult[];
  /** The results of the actions after the faults have ended. */
  readonly recovery: readonly ActionResult[];
  /** The status and the cancelling request of each order at the end of the run. */
  readonly orders: ReadonlyMap<
    string,
    { readonly status: string; readonly cancelRequestId: string }
  >;
  readonly faults: FaultRecord;
}

/** The record of the faults. */
export interface FaultRecord {
  readonly doneWrites: readonly DoneWrite[];
  readonly injected: ReadonlyMap<FaultKind, number>;
}

const whole: Action[] = [
  { type: 'list', isGzip: false },
  { type: 'cancel', orderId: lastOrder },
  { type: 'cancel', orderId: lastOrder },
  { type: 'bad-key', orderId: '1', authorization: 'Bearer wrong' },
  { type: 'list', isGzip: true },
];

/** Runs the plan of a seed. The store serves one run at a time. */
export async function runSeed(seed: number, store: StoreUnderFaults): Promise<SeedRecord> {
  const plan = planOf(seed);
  const run = new Run(store);
  await run.putKnownOrders();
  const token = await store.issueKey(plan.perMinute);
  const results: ActionResult[] = [];
  try {
    store.dynamodb.use(plan.mixture);
    for (const wave of plan.waves) {
      results.push(...(await Promise.all(wave.map((action) => run.act(action, token)))));
    }
    await store.dynamodb.isIdle();
    const orders = await run.readOrders();
    const { doneWrites, injected } = store.dynamodb;
    store.dynamodb.use({ ...noFaults, seed });
    const recovery: ActionResult[] = [];
    const lastToken = await store.issueKey(100);
    for (const action of whole) recovery.push(await run.act(action, lastToken));
    return { plan, results, recovery, orders, faults: { doneWrites, injected } };
  } finally {
    store.dynamodb.use({ ...noFaults, seed });
    await run.removePlacedOrders();
  }
}

class Run {
  readonly #store: StoreUnderFaults;
  readonly #placed: string[] = [];

  constructor(store: StoreUnderFaults) {
    this.#store = store;
  }

  async putKnownOrders(): Promise<void> {
    const orders = Object.entries({ ...knownOrders, [lastOrder]: 'pending' });
    const TransactItems = orders.map(([id, status]) => ({
      Put: { TableName: this.#store.ordersTable, Item: orderItem(id, { status: { S: status } }) },
    }));
    await this.#store.data.send(new TransactWriteItemsCommand({ TransactItems }));
  }

  async removePlacedOrders(): Promise<void> {
    await Promise.all(
      this.#placed.map((id) => this.#store.data.send(new DeleteItemCommand(this.#keyOf(id)))),
    );
  }

  async readOrders(): Promise<SeedRecord['orders']> {
    const scan = new ScanCommand({ TableName: this.#store.ordersTable });
    const { Items = [] } = await this.#store.data.send(scan);
    const orders = Items.map(({ id, status, cancelRequestId }) => {
      return [id!.N!, { status: status!.S!, cancelRequestId: cancelRequestId?.S ?? '' }] as const;
    });
    return new Map(orders);
  }

  async act(action: Action, token: string): Promise<ActionResult> {
    const beganAtMs = performance.now();
    const request = requestOf(action, token);
    const answer = request && (await this.#store.send(request));
    const isDone = request ? true : await this.#operate(action);
    return { action, answer, isDone, beganAtMs, endedAtMs: performance.now() };
  }

  async #operate(action: Action): Promise<boolean> {
    if (action.type === 'ship') return this.#ship(action.orderId);
    if (action.type === 'place') await this.#place(action.orderId);
    return true;
  }

  async #place(id: string): Promise<void> {
    this.#placed.push(id);
    const Item = orderItem(id, { status: { S: 'pending' } });
    await this.#store.data.send(new PutItemCommand({ TableName: this.#store.ordersTable, Item }));
  }

  async #ship(id: string): Promise<boolean> {
    const command = new UpdateItemCommand({
      ...this.#keyOf(id),
      UpdateExpression: 'SET #status = :shipped',
      ConditionExpression: '#status = :pending',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':shipped': { S: 'shipped' }, ':pending': { S: 'pending' } },
    });
    try {
      await this.#store.data.send(command);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  #keyOf(id: string) {
    return { TableName: this.#store.ordersTable, Key: { id: { N: id } } };
  }
}

/** The request of an action; undefined for an operator's action. */
function requestOf(action: Action, token: string): StoreRequest | undefined {
  const authorization = `Bearer ${token}`;
  switch (action.type) {
    case 'list':
      return { ...operation(undefined), headers: { authorization, ...(action.isGzip && gzip) } };
    case 'cancel':
      return { ...operation(action.orderId), headers: { authorization } };
    case 'bad-key':
      return { ...operation(action.orderId), headers: { authorization: action.authorization } };
    default:
      return undefined;
  }
}

const gzip = { 'accept-encoding': 'gzip' };

function operation(orderId: string | undefined): Pick<StoreRequest, 'method' | 'path'> {
  if (orderId === undefined) return { method: 'GET', path: '/store/orders' };
  return { method: 'DELETE', path: `/store/orders/${orderId}` };
}
