import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import type { Item } from '../../../lambdas/domain/item.ts';
import {
  InterruptedError,
  InvalidValueError,
  NotFoundError,
  OperatorError,
  UsageError,
  WrongStateError,
} from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { timeOption } from '../console/option-values.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import { changeOne, changeOrder, showCommand } from './change-order.ts';
import { idsJson } from './order-json.ts';
import { inParallel } from './parallel.ts';
import { writeOnce } from './repeated-calls.ts';
import { scanOrders } from './stored-orders.ts';

interface ReopenOptions {
  cancelledBy?: string;
  since?: number;
  until?: number;
  dryRun?: boolean;
}

/** Adds the command `orders reopen`. */
export function addReopenCommand(orders: Command, io: CommandIo): void {
  addVerb<ReopenOptions>(orders, io, {
    usage: 'reopen [orderId]',
    description: 'make a cancelled order pending again, or all that somebody has cancelled',
    options: [
      new Option(
        '--cancelled-by <who>',
        'instead of an order id: the key id or the operator that cancelled the orders',
      ),
      timeOption('--since <time>', 'the earliest time of a cancellation'),
      timeOption('--until <time>', 'the latest time of a cancellation; without it, now'),
      new Option('--dry-run', 'print the number of these orders per hour without changing them'),
      yesOption,
      asOption,
    ],
    help: reopenHelp,
    isInterruptible: true,
    showCommand,
    examples: [
      'orders reopen 1001 --stage prod',
      'orders reopen --cancelled-by key_… --since 2026-11-20T09:00:00Z --dry-run --stage prod',
    ],
    run: (call, orderId) => {
      const selection = selectionOf(call, orderId);
      return selection ? reopenSelected(selection, call) : changeOne(orderId!, 'reopen', call);
    },
  });
}

const reopenHelp = `
With --cancelled-by, it skips orders that somebody changes meanwhile, and orders that were reopened after
--since and then cancelled again. If it is interrupted, run it again with the same --until. An order stores
who cancelled and who reopened it, and when. An order without a status, or in an unknown state, becomes pending
too, after a confirmation.`;

type Selection = NonNullable<ReturnType<typeof selectionOf>>;

/** The orders that the options select, with both times inclusive; undefined if an order id is given. */
function selectionOf({ stage, options }: Call<ReopenOptions>, orderId: string | undefined) {
  const { cancelledBy, since: sinceMs, until: untilMs = stage.now(), dryRun } = options;
  const selecting = [cancelledBy, sinceMs, options.until, dryRun];
  if (orderId !== undefined && selecting.every((each) => each === undefined)) return undefined;
  if (orderId !== undefined || cancelledBy === undefined || sinceMs === undefined) {
    throw new UsageError('give either an order id or --cancelled-by and --since', {
      remedy: 'see --help',
    });
  }
  if (sinceMs > untilMs) {
    const since = new Date(sinceMs).toISOString();
    throw new InvalidValueError('--since', since, 'a time before --until, or before now');
  }
  refuseToken('--cancelled-by', cancelledBy);
  return { cancelledBy, sinceMs, untilMs };
}

const hourFields: readonly Field<{ hour: string; orders: number }>[] = [
  { name: 'hour', of: ({ hour }) => hour },
  { name: 'orders', of: ({ orders }) => grouped(orders) },
];

/** Reopens orders, each with one conditional write. All state is in the table, so running it again completes it. */
async function reopenSelected(
  selection: Selection,
  { stage, options: { dryRun }, io }: Call<ReopenOptions>,
): Promise<Result> {
  const table = { ...stage.orders, wait: io.wait };
  const by = await stage.operator();
  /** In a dry run, the orders that would be reopened. */
  const reopened: string[] = [];
  /** Skipped, because somebody changed them after they were read. */
  const changed: string[] = [];
  /** Skipped, because they were reopened after `sinceMs` and cancelled again. */
  const cancelledAgain: string[] = [];
  const hours: Record<string, number> = {};
  using line = progressLine(io);
  let [read, isKnown] = [0, false];
  const tellProgress = () =>
    line.draw(`${counted(read, 'order')} read, ${grouped(reopened.length)} selected`);
  const selected = async function* () {
    for await (const page of scanOrders(table)) {
      isKnown ||= page.some(({ cancelledBy }) => cancelledBy?.S === selection.cancelledBy);
      for (const order of page) {
        io.interruption.throwIfAborted();
        if (isSelected(order, selection)) yield order;
      }
      read += page.length;
      tellProgress();
    }
  };
  const reopen = async (order: Item) => {
    tellProgress();
    const id = order.id!.N!;
    if (timeOf(order.reopenedAt) >= selection.sinceMs) return cancelledAgain.push(id);
    const change = { verb: 'reopen', by, nowMs: stage.now() } as const;
    if (!dryRun) {
      try {
        await writeOnce(order, table, () => changeOrder(order, change, table));
      } catch (error) {
        if (error instanceof WrongStateError) return changed.push(id);
        throw error;
      }
    }
    const hour = `${new Date(timeOf(order.cancelledAt)).toISOString().slice(0, 13)}:00Z`;
    hours[hour] = (hours[hour] ?? 0) + 1;
    return reopened.push(id);
  };
  try {
    await inParallel(selected(), reopen);
  } catch (cause) {
    const done = dryRun
      ? 'nothing was written'
      : `stopped with ${counted(reopened.length, 'order')} reopened`;
    // Without --until, a second run would also reopen later cancellations.
    const remedy = `run the command again with --until ${new Date(selection.untilMs).toISOString()}`;
    if (io.interruption.aborted) throw new InterruptedError(`${done}: interrupted`, { remedy });
    throw new OperatorError(`${done}: ${failureText(cause)}`, { cause, remedy });
  }
  if (!isKnown) throw new NotFoundError(`No order was cancelled by ${selection.cancelledBy}`);
  const rows = Object.entries(hours)
    .sort()
    .map(([hour, orders]) => ({ hour, orders }));
  const lists = { [dryRun ? 'wouldReopen' : 'reopened']: reopened, changed, cancelledAgain };
  const texts = [
    tableText(hourFields, rows),
    `${dryRun ? 'Would reopen' : 'Reopened'} ${counted(reopened.length, 'order')}. Skipped: ` +
      `${grouped(changed.length)} changed meanwhile, ${grouped(cancelledAgain.length)} cancelled again.`,
  ];
  return { json: idsJson({ hours: rows }, lists), text: texts.filter(Boolean).join('\n') };
}

function isSelected({ status, cancelledBy, cancelledAt }: Item, selection: Selection): boolean {
  if (status?.S !== 'cancelled' || cancelledBy?.S !== selection.cancelledBy) return false;
  const timeMs = timeOf(cancelledAt);
  return timeMs >= selection.sinceMs && timeMs <= selection.untilMs;
}

function timeOf(time: AttributeValue | undefined): number {
  return Date.parse(time?.S ?? '');
}
