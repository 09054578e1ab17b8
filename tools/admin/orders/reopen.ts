import { paginateScan } from '@aws-sdk/client-dynamodb';
import { Option } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import { DifferentError, InvalidValueError, UsageError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { sinceTime, type Time, untilTime } from '../console/option-values.ts';
import { asOption, type Call, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { checkedText } from '../store/checked-text.ts';
import { isOwnerId } from '../store/identities.ts';
import { refuseMalformed } from '../store/keys.ts';
import { lookUpOwner } from '../store/owners.ts';
import { changeOrder, changeOrders } from './change-orders.ts';
import { everyOrder } from './every-order.ts';
import { exactNumber } from './order-values.ts';

interface ReopenOptions {
  cancelledBy?: string;
  since?: Time;
  until?: Time;
}

const reopenHelp = `With order ids, the command also makes an order in an unknown state pending.

With --cancelled-by, the command also finds the orders of an owner or a key that was deleted. If no order matches, the \
exit code is 4.`;

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
  examples: [
    'orders reopen 1001 1002 --stage prod',
    'orders reopen --cancelled-by ann --since 2026-11-20 --stage prod',
  ],
  run: async (call, ...ids) => {
    const { cancelledBy, since, until } = call.options;
    const hasOptions = [cancelledBy, since, until].some((each) => each !== undefined);
    if (ids.length > 0 && !hasOptions) return changeOrders('reopen', ids, call);
    if (ids.length === 0 && cancelledBy && since) return reopenSelected(cancelledBy, since, call);
    const problem = 'give either order ids or --cancelled-by and --since';
    throw new UsageError(problem, { remedy: 'see --help' });
  },
};

/**
 * Reopens the orders that somebody cancelled in a period, each with one conditional write. All state is in the table,
 * so a second run completes the first run.
 */
async function reopenSelected(
  cancelledBy: string,
  since: Time,
  call: Call<ReopenOptions>,
): Promise<Result> {
  const { stage, options, confirm } = call;
  checkedText('--cancelled-by', cancelledBy, 200);
  if (cancelledBy.startsWith('key_')) refuseMalformed(cancelledBy);
  const period = periodOf(since, options.until, stage.now());
  const orders = await selectedOrders(cancelledBy, period, stage.orders);
  const which = `that ${cancelledBy} cancelled from ${period.join(' to ')}`;
  if (orders.length === 0) {
    const isId = /^(?:key|own)_/.test(cancelledBy);
    const owner = isId ? undefined : await lookUpOwner(cancelledBy, stage);
    throw new DifferentError(`there is no cancelled order ${which}`, {
      remedy: owner && `if you mean this owner, give its id: ${owner.details.ownerId}`,
    });
  }
  await confirm(`reopen ${counted(orders.length, 'order')} ${which}?`);
  const [from, to] = period;
  const refused = await everyOrder(
    orders,
    // The order must still be in the same state, by the same cancellation.
    ({ id, ...asRead }) => changeOrder({ id: id! }, 'reopen', call, asRead),
    // The command names both times, because in a second run a duration would count from another start.
    `run the command again with --since ${from} --until ${to}`,
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

/** The first and the last time of a selection, as `cancelledAt` has them. */
type Period = readonly [from: string, to: string];

function periodOf(since: Time, until: Time = (nowMs) => nowMs, nowMs: number): Period {
  const [from, to] = [since, until].map((time) => new Date(time(nowMs)).toISOString());
  if (from! <= to!) return [from!, to!];
  throw new InvalidValueError('--since', from, `a time before ${to}`);
}

/** Reads what a change requires of the orders that somebody cancelled in a period. */
async function selectedOrders(
  cancelledBy: string,
  [from, to]: Period,
  { dynamodb: client, tableName: TableName }: OrdersTable,
): Promise<Item[]> {
  // The ids of an owner's keys begin with the owner's id, but with `key_` instead of `own_`.
  const isOwner = isOwnerId(cancelledBy);
  const who = isOwner ? cancelledBy.replace('own_', 'key_') : cancelledBy;
  const isMeant = isOwner ? 'begins_with(cancelledBy, :who)' : 'cancelledBy = :who';
  const pages = paginateScan(
    { client },
    {
      TableName,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
      FilterExpression: `#status = :cancelled AND ${isMeant} AND cancelledAt BETWEEN :from AND :to`,
      ProjectionExpression: 'id, #status, cancelledAt, cancelledBy',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':cancelled': { S: 'cancelled' },
        ':who': { S: who },
        ':from': { S: from },
        ':to': { S: to },
      },
    },
  );
  return (await Array.fromAsync(pages, ({ Items = [] }) => Items)).flat();
}
