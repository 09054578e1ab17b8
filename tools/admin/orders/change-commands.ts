import { type Command, Option } from 'commander';
import { InvalidValueError, UsageError } from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { timeOption } from '../console/option-values.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { changeOrder, type OrderChange, transitions } from './change-order.ts';
import { findOrder } from './find-order.ts';
import { reopenOrders, type Selection } from './reopen-orders.ts';
import { storedOrderJson } from './stored-order-json.ts';

interface ChangeOptions {
  as?: string;
}

interface ReopenOptions extends ChangeOptions {
  cancelledBy?: string;
  since?: number;
  until?: number;
  dryRun?: boolean;
}

/** Adds the commands `orders ship`, `cancel` and `reopen`. */
export function addChangeCommands(orders: Command, io: CommandIo): void {
  const addChange = (verb: OrderChange['verb'], description: string) =>
    addVerb<ChangeOptions>(orders, io, {
      usage: `${verb} <orderId>`,
      description,
      options: [asOption],
      shownBy,
      run: (call, orderId) => changeOne(orderId, verb, call),
    });
  addChange('ship', 'mark a pending order as shipped; from then on it cannot be cancelled');
  addChange('cancel', 'cancel a pending order');
  addVerb<ReopenOptions>(orders, io, {
    usage: 'reopen [orderId]',
    description: 'make a cancelled order pending again, or all orders that somebody has cancelled',
    options: [
      new Option(
        '--cancelled-by <who>',
        'instead of an order id: the key id or the operator that cancelled the orders',
      ),
      timeOption('--since <time>', 'the earliest time of a cancellation'),
      timeOption('--until <time>', 'the latest time of a cancellation; without it, now'),
      new Option('--dry-run', 'print the number of these orders per hour without changing them'),
      asOption,
    ],
    help: reopenHelp,
    isInterruptible: true,
    shownBy: (orderId) => orderId && shownBy(orderId),
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

const shownBy = (orderId: string) => `orders show ${orderId}`;

const reopenHelp = `
With --cancelled-by, it skips orders that somebody changes meanwhile, and orders that were reopened after
--since and then cancelled again. If it is interrupted, run it again with the same --until. An order stores
who cancelled and who reopened it, and when.`;

async function changeOne(
  orderId: string,
  verb: OrderChange['verb'],
  { stage }: Call<ChangeOptions>,
): Promise<Result> {
  const found = await findOrder(orderId, stage.orders);
  const by = await stage.operator();
  const changed = await changeOrder(found, { verb, by, nowMs: stage.now() }, stage.orders);
  const [json, before] = [storedOrderJson(changed.order), storedOrderJson(changed.before)];
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
  const { reopened, ...others } = await reopenOrders({
    selection,
    table: stage.orders,
    by: dryRun ? undefined : await stage.operator(),
    now: stage.now,
    onProgress: line.draw,
    signal: io.interruption,
  }).finally(line.clear);
  const { changed, cancelledAgain, hours } = others;
  const texts = [
    tableText(hourFields, hours),
    `${dryRun ? 'Would reopen' : 'Reopened'} ${counted(reopened, 'order')}. Skipped: ` +
      `${grouped(changed)} changed meanwhile, ${grouped(cancelledAgain)} cancelled again.`,
  ];
  const value = { [dryRun ? 'wouldReopen' : 'reopened']: reopened, ...others };
  return { value, text: texts.filter(Boolean).join('\n') };
}

const hourFields: readonly Field<{ hour: string; orders: number }>[] = [
  { name: 'hour', of: ({ hour }) => hour },
  { name: 'orders', of: ({ orders }) => grouped(orders) },
];
