import {
  type AttributeValue,
  ConditionalCheckFailedException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import type { OrderStatus } from '../../../lambdas/orders/order-states.ts';
import { InvalidValueError, NotFoundError, quoted, WrongStateError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import type { Call } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { type Condition, expressions, present } from '../stage/dynamodb-calls.ts';
import { everyOrder } from './every-order.ts';
import { exactNumber, isKnown } from './order-values.ts';

/** Tests that an attribute is none of these texts, or absent. */
const noneOf =
  <Text extends string>(...texts: Text[]) =>
  (path: string, placeholder: (value: AttributeValue) => string) =>
    `NOT ${path} IN (${texts.map((S) => placeholder({ S })).join(', ')})`;

/**
 * The state that each change leads to, its participle, and its condition. Only `cancel` refuses an order in an unknown
 * state, because such an order may have shipped.
 */
export const changes = {
  ship: {
    to: 'shipped' satisfies OrderStatus,
    done: 'shipped',
    where: { id: present, status: noneOf<OrderStatus>('shipped', 'cancelled') },
  },
  cancel: {
    to: 'cancelled' satisfies OrderStatus,
    done: 'cancelled',
    where: { status: { S: 'pending' } },
  },
  reopen: {
    to: 'pending' satisfies OrderStatus,
    done: 'reopened',
    where: { id: present, status: noneOf<OrderStatus>('shipped', 'pending') },
  },
} as const;

/** The commands that change the state of orders. */
export type Change = keyof typeof changes;

/** What a change did to an order. */
interface Outcome {
  readonly id: string;
  readonly outcome: 'changed' | 'unchanged' | 'refused';
  readonly text: string;
  readonly failure?: Error;
}

/** Changes the state of orders, each with one conditional write. */
export async function changeOrders(
  change: Change,
  ids: readonly string[],
  call: Call,
): Promise<Result> {
  for (const id of ids) refuseUnlessId(id);
  const orders = [...new Set(ids)].map((id) => ({ id: { N: id } }));
  const outcomes = await everyOrder(orders, (order) => outcomeOf(order, change, call));
  const failures = outcomes.flatMap(({ failure = [] }) => failure);
  if (outcomes.length === 1 && failures[0]) throw failures[0];
  const problem = `${counted(failures.length, 'order')} of ${outcomes.length} not ${changes[change].done}`;
  return {
    value: outcomes.map(({ id, outcome, text }) => ({ id: exactNumber(id), outcome, text })),
    text: outcomes.map(({ text }) => text).join('\n'),
    failure: failures.length > 0 ? new WrongStateError(`${problem}: see above`) : undefined,
  };
}

/** @throws InvalidValueError if an argument of a command is not a number that can be the id of an item in DynamoDB */
export function refuseUnlessId(id: string): void {
  if (/^(?!(?:\D*\d){39})-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(id)) return;
  const expected = 'a number of at most 38 digits such as 1001, without leading zeros';
  throw new InvalidValueError('order id', id, expected);
}

/** The error of a command for an order that does not exist. */
export function noOrder(id: string): NotFoundError {
  const remedy = 'check the id; GET /store/orders lists all orders';
  return new NotFoundError(`No order has the id ${id}`, { remedy });
}

async function outcomeOf(order: Item, change: Change, call: Call): Promise<Outcome> {
  const id = order.id!.N!;
  const { to } = changes[change];
  const refused = await changeOrder(order, change, call);
  if (!refused) return { id, outcome: 'changed', text: `Order ${id} is ${to}.` };
  const { found } = refused;
  if (found?.status?.S === to) {
    return { id, outcome: 'unchanged', text: `Order ${id} ${stateOf(found, 'already ')}.` };
  }
  const failure = found
    ? new WrongStateError(`Order ${id} ${stateOf(found)}`, { remedy: wayTo(change, found) })
    : noOrder(id);
  return { id, outcome: 'refused', text: failure.message, failure };
}

/**
 * Changes an order in one conditional write. Returns undefined, or the order as it is stored if the condition failed.
 *
 * @param where the condition. @default - that the state of the order allows the change
 */
export async function changeOrder(
  { id }: Item,
  change: Change,
  { stage }: Pick<Call, 'stage'>,
  where: Condition = changes[change].where as Condition,
): Promise<{ readonly found: Item | undefined } | undefined> {
  const { dynamodb, tableName: table } = stage.orders;
  const set = changedFields(change, stage.operator, stage.now());
  const [at, by] = [`${changes[change].done}At`, `${changes[change].done}By`];
  // If the response is lost, the SDK sends the write again, perhaps after somebody else has changed the order.
  const once = { [at]: noneOf(set[at]!.S!) };
  const input = expressions({ table, key: { id }, set, where: { ...where, ...once } });
  const update = new UpdateItemCommand({
    ...(input as UpdateItemCommand['input']),
    ReturnConsumedCapacity: 'TOTAL',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await dynamodb.send(update);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { Item: found, $metadata } = error;
    const isRepeated = ($metadata.attempts ?? 1) > 1;
    const isOwn = found?.[at]?.S === set[at]!.S && found?.[by]?.S === stage.operator;
    return isRepeated && isOwn ? undefined : { found };
  }
}

/** The attributes that a change sets. Shipping also sets `complete` and `shipDate`, because clients see only these. */
function changedFields(change: Change, by: string, nowMs: number): Item {
  const { to, done } = changes[change];
  const iso = new Date(nowMs).toISOString();
  // A ship date has whole seconds, like planned dates, because pandas.to_datetime fails for a list of dates with and
  // without a fraction.
  const now = { S: change === 'ship' ? iso.replace(/\.\d+/, '') : iso };
  return {
    status: { S: to },
    [`${done}At`]: now,
    [`${done}By`]: { S: by },
    ...(change === 'ship' && { complete: { BOOL: true }, shipDate: now }),
  };
}

/**
 * Describes the state of an order, and who changed it. An unknown state is quoted, because it may end in a space, as in
 * `pending `.
 */
export function stateOf({ status, ...order }: Item, already: 'already ' | '' = ''): string {
  if (!status) return 'has no status';
  if (status.S === undefined) return 'has a status that is not a text';
  if (!isKnown(status)) return `has the unknown status ${quoted(status.S)}`;
  const [at, by] = [order[`${status.S}At`]?.S, order[`${status.S}By`]?.S];
  return `is ${already}${status.S}${at ? ` since ${at}` : ''}${by ? ` by ${by}` : ''}`;
}

/** The commands that lead from an order's state to the state that a change leads to. */
function wayTo(change: Change, order: Item): string {
  const command = (verb: Change) => `"./admin orders ${verb} ${order.id!.N}"`;
  if (!isKnown(order.status)) return repairOf(order);
  if (order.status!.S === 'shipped') return 'no command changes a shipped order';
  return `if its parcel has left, run ${command('reopen')}, then ${command(change)}`;
}

/**
 * What to do about an order in an unknown state. If the order has shipped, it must not become pending, because a client
 * could then cancel it.
 */
export function repairOf({ id }: Item): string {
  const [ship, reopen] = ['ship', 'reopen'].map((verb) => `"./admin orders ${verb} ${id!.N}"`);
  return `if its parcel has left, ${ship} marks it as shipped; if not, ${reopen} makes it pending`;
}
