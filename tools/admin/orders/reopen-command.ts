import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import { UsageError } from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import { type CommandIo, print, type Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { sinceTime, type Time, untilTime } from '../console/option-values.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { changeOne, showCommand } from './change-commands.ts';
import { changeAsRead } from './change-order.ts';
import type { OrderItem } from './order-record.ts';
import type { OrderLine } from './orders-file.ts';
import { runOver } from './orders-run.ts';
import { scanOrders } from './stored-orders.ts';

interface ReopenOptions {
  cancelledBy?: string;
  since?: Time;
  until?: Time;
}

/** Adds the command `orders reopen`. */
export function addReopenCommand(orders: Command, io: CommandIo): void {
  addVerb<ReopenOptions>(orders, io, {
    usage: 'reopen [orderId]',
    description:
      'make a cancelled order pending again, or all orders that one key or operator has cancelled',
    options: [
      new Option(
        '--cancelled-by <who>',
        'reopen all orders that this key id or operator has cancelled; needs --since',
      ),
      new Option(
        '--since <time>',
        'only orders that were cancelled at this date-time or later, or in this time, such as 2h',
      ).argParser(sinceTime),
      new Option(
        '--until <time>',
        'only orders that were cancelled at this time or earlier (default: now)',
      ).argParser(untilTime),
      yesOption,
      asOption,
    ],
    help: reopenHelp,
    isInterruptible: true,
    showCommand,
    examples: [
      'orders reopen 1001 --stage prod',
      'orders reopen --cancelled-by key_… --since 2026-11-20T09:00:00Z --stage prod',
    ],
    run: (call, orderId) => {
      const selection = selectionOf(call, orderId);
      return selection ? reopenSelected(selection, call) : changeOne(orderId!, 'reopen', call);
    },
  });
}

const reopenHelp = `
With an order id, the command also makes an order pending that has no status, or is in an unknown state.
With --cancelled-by, the command shows the number of orders in each hour before it asks. It skips and lists an order
that somebody else changes at the same time, and an order that was reopened after --since and then cancelled again. If
the command is interrupted, run it again with the same --until.
An order stores who cancelled it and who reopened it, and the times of both.`;

type Selection = NonNullable<ReturnType<typeof selectionOf>>;

/** The orders that the options select, with both times inclusive; undefined if an order id is given. */
function selectionOf({ stage, options }: Call<ReopenOptions>, orderId: string | undefined) {
  const { cancelledBy, since, until } = options;
  const selecting = [cancelledBy, since, until];
  if (orderId !== undefined && selecting.every((each) => each === undefined)) return undefined;
  if (orderId !== undefined || cancelledBy === undefined || since === undefined) {
    throw new UsageError('give either an order id or --cancelled-by and --since', {
      remedy: 'see --help',
    });
  }
  const nowMs = stage.now();
  const [sinceMs, untilMs] = [since(nowMs), until?.(nowMs) ?? nowMs];
  refuseToken('--cancelled-by', cancelledBy);
  return { cancelledBy, sinceMs, untilMs };
}

/** Reopens orders, each with one conditional write. All state is in the table, so a second run completes the first. */
async function reopenSelected(selection: Selection, call: Call<ReopenOptions>): Promise<Result> {
  const { stage, io } = call;
  const by = stage.operator;
  const orders: OrderLine[] = [];
  for await (const page of scanOrders(stage.orders, io)) {
    const selected = page.filter((order) => isSelected(order, selection));
    orders.push(...selected.map((order) => ({ order: order as OrderItem })));
  }
  const hours = Object.groupBy(orders, ({ order }) => hourOf(order.cancelledAt));
  for (const [hour, { length }] of Object.entries(hours).sort() as [string, OrderLine[]][]) {
    print(io.stderr, `${hour}  ${counted(length, 'order')}`);
  }
  return runOver(
    call,
    { count: orders.length, lines: () => orders },
    {
      question: (count) => `make ${count} pending?`,
      act: async ({ order }) => {
        if (timeOf(order.reopenedAt) >= selection.sinceMs) {
          return { name: 'cancelledAgain', note: 'was already reopened, and then cancelled again' };
        }
        const change = { verb: 'reopen', by, nowMs: stage.now() } as const;
        const result = await changeAsRead(order, change, stage.orders);
        if ('order' in result) return { name: 'reopened' };
        return { name: 'changed', note: 'was changed by somebody else at the same time' };
      },
      words: {
        reopened: 'Reopened',
        cancelledAgain: 'cancelled again',
        changed: 'changed by somebody else',
      },
      remedy: 'the listed orders are not reopened',
      // Without --until, a second run would also reopen orders that were cancelled after the first run.
      completion: `run the command again with --until ${new Date(selection.untilMs).toISOString()}`,
    },
  );
}

function isSelected(order: Item, { cancelledBy, sinceMs, untilMs }: Selection): boolean {
  const timeMs = timeOf(order.cancelledAt);
  const isMeant = order.status?.S === 'cancelled' && order.cancelledBy?.S === cancelledBy;
  return isMeant && timeMs >= sinceMs && timeMs <= untilMs;
}

function timeOf(time: AttributeValue | undefined): number {
  return Date.parse(time?.S ?? '');
}

const hourOf = (time: AttributeValue | undefined) =>
  `${new Date(timeOf(time)).toISOString().slice(0, 13)}:00Z`;
