import { type Command, Option } from 'commander';
import { orderStatuses } from '../../../lambdas/domain/order-states.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { type ImportRequest, importOrders, updatable } from './import-orders.ts';
import { formatOption } from './orders-file.ts';

const updatableFields = new Intl.ListFormat('en-GB').format(updatable);

type ImportOptions = Pick<ImportRequest, 'format' | 'update' | 'dryRun'>;

/** Adds the command `orders import`. */
export function addImportCommand(orders: Command, io: CommandIo): void {
  addVerb<ImportOptions>(orders, io, {
    usage: 'import <file>',
    description: 'load orders from a file, or from standard input with -',
    options: [
      formatOption,
      new Option('--update', `set ${updatableFields} of existing orders`),
      new Option('--dry-run', 'show the changes without making them'),
    ],
    help: importHelp,
    isInterruptible: true,
    examples: [
      'orders import orders.jsonl --stage staging',
      'orders import orders.csv --stage prod --update --dry-run',
    ],
    run: importFile,
  });
}

async function importFile(
  { stage, options, io }: Call<ImportOptions>,
  path: string,
): Promise<Result> {
  const startedMs = stage.now();
  const table = { ...stage.orders, wait: io.wait };
  using file = orderProgress(io, path);
  const counts = await importOrders({ ...options, ...file }, table);
  const { inserted, alreadyThere, updated, different } = counts;
  const seconds = (stage.now() - startedMs) / 1_000;
  const imported = `${options.dryRun ? 'Would have imported' : 'Imported'} ${counted(inserted, 'order')}`;
  const changed = options.update ? ` and updated ${grouped(updated)}` : '';
  const others = different > 0 ? `; ${grouped(different)} different from the file` : '';
  const text = `${imported}${changed} in ${seconds.toFixed(1)} s; ${grouped(alreadyThere)} already existed${others}.`;
  const value = { file: path, ...counts, applied: !options.dryRun, seconds };
  if (different === 0) return { value, text };
  const left = `${path}: ${counted(different, 'order')} different from the file`;
  const states = '"./admin orders ship", "cancel" and "reopen" change the state';
  const remedy = options.update ? states : `--update sets ${updatableFields}; ${states}`;
  return { value, text, failure: new DifferentError(left, { remedy }) };
}

const importHelp = `
A file of JSON Lines has one order on each line, as "./admin orders export" writes it:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
A CSV file names these fields in its first line, separated by commas, semicolons or tabs. Only id is required;
status is one of ${orderStatuses.join(', ')}. A new order without a status is pending, or shipped if
"complete" is true.

If a line is bad, the import prints every bad line and loads nothing. It never changes the state of an existing
order. With --update, it sets its ${updatableFields} if the line has them, unless somebody else
changes these values meanwhile. If an order still differs from its line, the import says how, and ends with
exit code 4. If an import is interrupted, run it again.`;
