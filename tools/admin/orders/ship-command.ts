import type { Command } from 'commander';
import type { Item } from '../../../lambdas/domain/item.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { comparableNumber } from './attribute-json.ts';
import { changedFields, changeOne, isStateless, showCommand } from './change-order.ts';
import { actOnFile } from './file-run.ts';
import { idsJson } from './order-json.ts';
import { formatOption, type OrdersFormat } from './orders-file.ts';
import { writeOnce } from './repeated-calls.ts';
import { updateOrder } from './stored-orders.ts';

interface ShipOptions {
  format?: OrdersFormat;
}

/** Adds the command `orders ship`. */
export function addShipCommand(orders: Command, io: CommandIo): void {
  addVerb<ShipOptions>(orders, io, {
    usage: 'ship <idOrFile>',
    description:
      'mark a pending order, or those of a file, as shipped; then they cannot be cancelled',
    options: [formatOption, yesOption, asOption],
    help: shipHelp,
    isInterruptible: true,
    showCommand,
    examples: ['orders ship 1001 --stage prod', 'orders ship shipped.txt --stage prod'],
    run: (call, word) =>
      comparableNumber(word!) ? changeOne(word!, 'ship', call) : shipFile(word!, call),
  });
}

/** Why an order is not shipped, by the name in JSON. */
const reasons = {
  cancelled: 'cancelled',
  notFound: 'not found',
  unknownState: 'in no known state',
};
type Outcome = 'shipped' | 'alreadyShipped' | keyof typeof reasons;

/** Ships the orders of a file, each without a read before it: of this and a cancellation, one takes effect. */
async function shipFile(
  path: string,
  { stage, options: { format }, io, confirm }: Call<ShipOptions>,
): Promise<Result> {
  const startedMs = stage.now();
  const by = await stage.operator();
  const table = { ...stage.orders, wait: io.wait };
  const ids: Record<Outcome, string[]> = {
    shipped: [],
    alreadyShipped: [],
    cancelled: [],
    notFound: [],
    unknownState: [],
  };
  using file = orderProgress(io, path);
  await actOnFile(
    { ...file, format },
    {
      fields: ['shipDate'],
      canBeId: true,
      batchSize: 1,
      done: 'shipped',
      onChecked: (orders) => confirm(`mark ${counted(orders, 'order')} as shipped?`),
      act: async ([line]) => {
        const { order } = line!;
        const { shipDate } = order;
        const set = changedFields({ verb: 'ship', by, nowMs: stage.now(), shipDate });
        const change = { set, where: { status: { S: 'pending' } } };
        const result = await writeOnce(order, table, () => updateOrder(order, change, table));
        ids['order' in result ? 'shipped' : outcomeOf(result.found)].push(order.id.N!);
      },
    },
  );
  const refused = Object.entries(reasons).flatMap(([outcome, reason]) =>
    ids[outcome as Outcome].map((id) => ({ id, reason })),
  );
  const seconds = (stage.now() - startedMs) / 1_000;
  const counts =
    `Shipped ${counted(ids.shipped.length, 'order')} in ${seconds.toFixed(1)} s; ` +
    `${grouped(ids.alreadyShipped.length)} already shipped, ${grouped(refused.length)} not shipped.`;
  const result = {
    json: idsJson({ file: path, seconds }, ids),
    text: [tableText(refusedFields, refused), counts].filter(Boolean).join('\n'),
  };
  if (refused.length === 0) return result;
  const left = `${path}: ${counted(refused.length, 'order')} not shipped`;
  return { ...result, failure: new DifferentError(left, { remedy: 'stop these parcels' }) };
}

function outcomeOf(found: Item | undefined): Outcome {
  if (!found) return 'notFound';
  if (isStateless(found)) return 'unknownState';
  return found.status?.S === 'shipped' ? 'alreadyShipped' : 'cancelled';
}

const refusedFields: readonly Field<{ id: string; reason: string }>[] = [
  { name: 'not shipped', of: ({ id }) => id },
  { name: 'reason', of: ({ reason }) => reason },
];

const shipHelp = `
A file, or standard input with -, has ids, one on each line, or orders as JSON Lines or CSV with an id and, if it
was not shipped now, a shipDate. Each order becomes complete. Orders that are not pending stay as they are. If some
are cancelled, unknown, or in no known state, the command names them, and ends with exit code 4. If it is
interrupted, run it again. It asks for confirmation of a file only.`;
