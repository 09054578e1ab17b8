import { type Command, Option } from 'commander';
import { InvalidValueError, UsageError } from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { timeOption } from '../console/option-values.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import {
  changeOrder,
  isStateless,
  type OrderChange,
  stateOf,
  transitions,
} from './change-order.ts';
import { idsJson, isOrderId, orderJson } from './order-json.ts';
import { reopenOrders, type Selection } from './reopen-orders.ts';
import { findOrder } from './stored-orders.ts';

export interface ChangeOptions {
  as?: string;
}

interface ReopenOptions extends ChangeOptions {
  cancelledBy?: string;
  since?: number;
  until?: number;
  dryRun?: boolean;
}

/** Adds the commands `orders cancel` and `reopen`. */
export function addChangeCommands(orders: Command, io: CommandIo): void {
  addVerb<ChangeOptions>(orders, io, {
    usage: 'cancel <orderId>',
    description: 'cancel a pending order',
    options: [asOption],
    showCommand,
    run: (call, orderId) => changeOne(orderId!, 'cancel', call),
  });
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

/** The command that shows an order; none for a file. */
export const showCommand = (word: string) => (isOrderId(word) ? `orders show ${word}` : '');

const reopenHelp = `
With --cancelled-by, it skips orders that somebody changes meanwhile, and orders that were reopened after
--since and then cancelled again. If it is interrupted, run it again with the same --until. An order stores
who cancelled and who reopened it, and when. An order without a status, or in an unknown state, becomes pending
too, after a confirmation.`;

/** Changes the state of one order, and prints it as it was. */
export async function changeOne(
  orderId: string,
  verb: OrderChange['verb'],
  { stage, confirm }: Call<ChangeOptions>,
): Promise<Result> {
  const found = await findOrder(orderId, stage.orders);
  if (verb === 'reopen' && isStateless(found)) {
    await confirm(`order ${orderId} is ${stateOf(found)}: make it pending?`);
  }
  const by = await stage.operator();
  const changed = await changeOrder(found, { verb, by, nowMs: stage.now() }, stage.orders);
  const [json, before] = [orderJson(changed.order), orderJson(changed.before)];
  return {
    json: `${json.slice(0, -1)},"before":${before}}`,
    text: `Order ${orderId} is ${transitions[verb].to}. Before:\n${before}`,
  };
}

/** The orders that the options select; undefined if an order id is given. */
function selectionOf(
  { stage, options }: Call<ReopenOptions>,
  orderId: string | undefined,
): Selection | undefined {
  const { cancelledBy, since: sinceMs, until: untilMs = stage.now(), dryRun } = options;
  const hasSelection = [cancelledBy, sinceMs, options.until, dryRun].some(
    (each) => each !== undefined,
  );
  if (orderId !== undefined && !hasSelection) return undefined;
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

async function reopenSelected(
  selection: Selection,
  { stage, options, io }: Call<ReopenOptions>,
): Promise<Result> {
  const { dryRun } = options;
  const line = progressLine(io);
  const { hours, ...ids } = await reopenOrders({
    selection,
    table: { ...stage.orders, wait: io.wait },
    by: dryRun ? undefined : await stage.operator(),
    now: stage.now,
    onProgress: line.draw,
    signal: io.interruption,
  }).finally(line.clear);
  const { reopened, changed, cancelledAgain } = ids;
  const texts = [
    tableText(hourFields, hours),
    `${dryRun ? 'Would reopen' : 'Reopened'} ${counted(reopened.length, 'order')}. Skipped: ` +
      `${grouped(changed.length)} changed meanwhile, ${grouped(cancelledAgain.length)} cancelled again.`,
  ];
  const skipped = { changed, cancelledAgain };
  const json = idsJson({ hours }, dryRun ? { wouldReopen: reopened, ...skipped } : ids);
  return { json, text: texts.filter(Boolean).join('\n') };
}

const hourFields: readonly Field<{ hour: string; orders: number }>[] = [
  { name: 'hour', of: ({ hour }) => hour },
  { name: 'orders', of: ({ orders }) => grouped(orders) },
];
