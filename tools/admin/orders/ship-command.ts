import type { Command } from 'commander';
import type { Item } from '../../../lambdas/domain/item.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { comparableNumber } from './attribute-json.ts';
import { changeOne, showCommand } from './change-one.ts';
import { changedFields, isStateless } from './change-order.ts';
import { actOnFile } from './file-run.ts';
import { idsJson } from './order-json.ts';
import { formatOption, type OrderLine, type OrdersFormat } from './orders-file.ts';
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

/** What became of an order, by its name in JSON. All but the first two need somebody who stops the parcel. */
const outcomes = {
  shipped: 'shipped',
  alreadyShipped: 'already shipped',
  cancelled: 'cancelled',
  notFound: 'not found',
  unknownState: 'in no known state',
};
type Outcome = keyof typeof outcomes;

/**
 * Ships the orders of a file, each in one conditional write and without a read before it: of this and a client's
 * cancellation, one takes effect. An order that has shipped stays as it is, so the command can be run again.
 */
async function shipFile(
  path: string,
  { stage, options, io, confirm }: Call<ShipOptions>,
): Promise<Result> {
  const startedMs = stage.now();
  const by = await stage.operator();
  const table = { ...stage.orders, wait: io.wait };
  const ids = Object.fromEntries(
    Object.keys(outcomes).map((outcome) => [outcome, [] as string[]]),
  ) as Record<Outcome, string[]>;
  const action = {
    lines: { fields: ['id', 'shipDate'], canBeId: true } as const,
    batchSize: 1,
    done: 'shipped',
    onChecked: (count: number) => confirm(`mark ${counted(count, 'order')} as shipped?`),
    act: async ([line]: readonly OrderLine[]) => {
      const { order } = line!;
      const { shipDate } = order;
      const set = changedFields({ verb: 'ship', by, nowMs: stage.now(), shipDate });
      const where = { status: { S: 'pending' } };
      const result = await writeOnce(order, table, () => updateOrder(order, { set, where }, table));
      ids['order' in result ? 'shipped' : outcomeOf(result.found)].push(order.id.N!);
    },
  };
  const progress = orderProgress(io, path);
  await actOnFile({ path, ...options, stdin: io.stdin }, action, progress, io.interruption).finally(
    progress.clear,
  );
  const { shipped, alreadyShipped, ...others } = ids;
  const refused = Object.entries(others).flatMap(([outcome, all]) =>
    all.map((id) => ({ id, reason: outcomes[outcome as Outcome] })),
  );
  const seconds = (stage.now() - startedMs) / 1_000;
  const counts =
    `Shipped ${counted(shipped.length, 'order')} in ${seconds.toFixed(1)} s; ` +
    `${grouped(alreadyShipped.length)} already shipped, ${grouped(refused.length)} not shipped.`;
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
