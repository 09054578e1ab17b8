import { type AttributeValue, paginateScan } from '@aws-sdk/client-dynamodb';
import { Option } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import {
  DifferentError,
  InterruptedError,
  InvalidValueError,
  UsageError,
} from '../../shared/errors.ts';
import { print, type Result } from '../console/command-io.ts';
import { sinceTime, type Time, untilTime } from '../console/option-values.ts';
import { asOption, type Call, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { checkedText } from '../store/checked-text.ts';
import { isOwnerId } from '../store/identities.ts';
import { refuseMalformed } from '../store/keys.ts';
import { lookUpOwner } from '../store/owners.ts';
import { asRead, changeOrder, changeOrders } from './change-orders.ts';
import { everyOrder } from './every-order.ts';
import { exactNumber } from './order-values.ts';

interface ReopenOptions {
  cancelledBy?: string;
  since?: Time;
  until?: Time;
}

const reopenHelp = `
With order ids, the command also makes an order in an unknown state pending.

With --cancelled-by, the command shows the number of orders in each hour before it asks. It also finds the orders of \
an owner or a key that was deleted. An order that was reopened after --since, and then cancelled again, stays \
cancelled. If no order matches, the exit code is 4.`;

export const reopen: Verb<ReopenOptions> = {
  usage: 'reopen [orderIds...]',
  description: 'make cancelled orders pending again',
  options: [
    new Option(
      '--cancelled-by <who>',
      'all orders that this key, owner (id) or operator has cancelled; needs --since',
    ),
    new Option(
      '--since <time>',
      'only if they were cancelled at this time or later: a date-time, a date, or a duration such as 2h',
    ).argParser(sinceTime),
    new Option(
      '--until <time>',
      'only if they were cancelled at this time or earlier (default: now)',
    ).argParser(untilTime),
    yesOption,
    asOption,
  ],
  asks: 'With --cancelled-by, the command asks for confirmation',
  help: reopenHelp,
  isForMany: true,
  examples: [
    'orders reopen 1001 1002 --stage prod',
    'orders reopen --cancelled-by ann --since 2026-11-20 --stage prod',
  ],
  run: (call, ...ids) => {
    const selection = selectionOf(call, ids);
    return selection ? reopenSelected(selection, call) : changeOrders('reopen', ids, call);
  },
};

/** The orders that somebody cancelled from one time to another, both inclusive. */
interface Selection {
  readonly cancelledBy: string;
  readonly since: Date;
  readonly until: Date;
}

/** The orders that the options select; undefined if the command line has order ids. */
function selectionOf(
  { stage, options }: Call<ReopenOptions>,
  ids: readonly string[],
): Selection | undefined {
  const { cancelledBy, since, until } = options;
  const hasOptions = [cancelledBy, since, until].some((each) => each !== undefined);
  if (ids.length > 0 && !hasOptions) return undefined;
  if (ids.length > 0 || cancelledBy === undefined || since === undefined) {
    const problem = 'give either order ids or --cancelled-by and --since';
    throw new UsageError(problem, { remedy: 'see --help' });
  }
  checkedText('--cancelled-by', cancelledBy, 200);
  if (cancelledBy.startsWith('key_')) refuseMalformed(cancelledBy);
  const nowMs = stage.now();
  const selection = {
    cancelledBy,
    since: new Date(since(nowMs)),
    until: new Date(until?.(nowMs) ?? nowMs),
  };
  if (selection.since <= selection.until) return selection;
  const expected = `a time before ${selection.until.toISOString()}`;
  throw new InvalidValueError('--since', selection.since.toISOString(), expected);
}

/**
 * Reopens orders, each with one conditional write. All state is in the table, so a second run completes the first run.
 */
async function reopenSelected(selection: Selection, call: Call<ReopenOptions>): Promise<Result> {
  const { io, confirm } = call;
  const { cancelledBy, since, until } = selection;
  const orders = await selectedOrders(selection, call);
  const times = [since, until].map((time) => time.toISOString());
  const which = `that ${cancelledBy} cancelled from ${times.join(' to ')}`;
  if (orders.length === 0) {
    const isId = /^(?:key|own)_/.test(cancelledBy);
    const owner = isId ? undefined : await lookUpOwner(cancelledBy, call.stage);
    throw new DifferentError(`there is no cancelled order ${which}`, {
      remedy: owner && `if you mean this owner, give its id: ${owner.details.ownerId}`,
    });
  }
  const hours = Object.groupBy(orders, ({ cancelledAt }) => hourOf(cancelledAt));
  for (const [hour, { length }] of Object.entries(hours).sort() as [string, Item[]][]) {
    print(io.stderr, `${hour}  ${counted(length, 'order')}`);
  }
  await confirm(`reopen ${counted(orders.length, 'order')} ${which}?`);
  const refused = await everyOrder(
    orders,
    (order) => changeOrder(order, 'reopen', call, asRead(order)),
    call,
    // The command names both times, because in a second run a duration would count from another start.
    `run the command again with --since ${times[0]} --until ${times[1]}`,
  );
  const changed = orders.filter((_, index) => refused[index]).map(({ id }) => id!.N!);
  const reopened = orders.length - changed.length;
  const problem = `${counted(changed.length, 'order')} changed by somebody else at the same time: ${changed.join(', ')}`;
  return {
    value: { reopened, changed: changed.map(exactNumber) },
    text: `Reopened ${counted(reopened, 'order')} ${which}.`,
    failure: changed.length > 0 ? new DifferentError(problem) : undefined,
  };
}

/**
 * Reads the orders of a selection. An order that was reopened after the start of the period, and then cancelled again,
 * is left out and named.
 */
async function selectedOrders(selection: Selection, { stage, io }: Call): Promise<Item[]> {
  const { cancelledBy, since, until } = selection;
  const { dynamodb: client, tableName: TableName } = stage.orders;
  // The ids of an owner's keys begin with the owner's id, but with `key_` instead of `own_`.
  const isOwner = isOwnerId(cancelledBy);
  const who = isOwner ? cancelledBy.replace('own_', 'key_') : cancelledBy;
  const pages = paginateScan(
    { client },
    {
      TableName,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
      FilterExpression: `#status = :cancelled AND ${isOwner ? 'begins_with(cancelledBy, :who)' : 'cancelledBy = :who'}`,
      ProjectionExpression: 'id, #status, cancelledAt, cancelledBy, reopenedAt',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':cancelled': { S: 'cancelled' }, ':who': { S: who } },
    },
  );
  const found: Item[] = [];
  for await (const { Items = [] } of pages) {
    if (io.interruption.aborted) throw new InterruptedError('interrupted: nothing was changed');
    const isMeant = ({ cancelledAt }: Item) =>
      timeOf(cancelledAt) >= since.getTime() && timeOf(cancelledAt) <= until.getTime();
    found.push(...Items.filter(isMeant));
  }
  const isAgain = ({ reopenedAt }: Item) => timeOf(reopenedAt) >= since.getTime();
  const again = found.filter(isAgain).map(({ id }) => id!.N!);
  if (again.length > 0) {
    print(io.stderr, `reopened, then cancelled again, so left as they are: ${again.join(', ')}`);
  }
  return found.filter((order) => !isAgain(order));
}

const timeOf = (time: AttributeValue | undefined) => Date.parse(time?.S ?? '');

const hourOf = (time: AttributeValue | undefined) =>
  `${new Date(timeOf(time)).toISOString().slice(0, 13)}:00Z`;
