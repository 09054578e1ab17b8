import { closeSync, openSync, writeSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { isFinal, orderStatuses } from '../../../lambdas/shared/order-states.ts';
import { DifferentError, InvalidValueError, reasonOf } from '../../shared/errors.ts';
import { type CommandIo, print } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import { counted, grouped } from '../console/view.ts';
import type { StageConnection } from '../stage/stage-connection.ts';
import { addVerb } from '../stage/verb.ts';
import { refuseUnlessFile } from './export-orders.ts';
import {
  type ImportCounts,
  type ImportObserver,
  type ImportRequest,
  importOrders,
} from './import-orders.ts';
import { formatOption, reasonLine } from './orders-file.ts';
import { ordersTable } from './orders-table.ts';

const finalStates = orderStatuses.filter(isFinal).join(' or ');

interface ImportOptions extends Omit<ImportRequest, 'path' | 'stdin'> {
  rejects?: string;
}

/** Adds the command `orders import`. */
export function addImportCommand(orders: Command, io: CommandIo): void {
  addVerb<ImportOptions>(orders, io, {
    usage: 'import <file>',
    description: 'load orders from a file, or from standard input with -',
    options: [
      formatOption,
      new Option('--on-error <what>', 'if the file has a bad line: load nothing, or skip bad lines')
        .choices(['stop', 'skip'])
        .default('stop'),
      new Option('--rejects <file>', 'write the bad lines and their errors to this file'),
      new Option('--replace', 'change existing orders that differ from their lines'),
      new Option('--dry-run', 'show the changes without making them'),
    ],
    help: importHelp,
    isInterruptible: true,
    examples: [
      'orders import orders.jsonl --stage staging',
      'orders import orders.csv --stage prod --on-error skip --rejects bad.csv',
      'orders import yesterday.jsonl --stage prod --replace --dry-run',
    ],
    run: async ({ stage, options }, path) => {
      const startedMs = stage.now();
      const counts = await runImport({ ...options, path, stdin: io.stdin }, stage, io);
      const seconds = (stage.now() - startedMs) / 1_000;
      const text = importText(counts, options, seconds);
      const result = { value: { file: path, ...counts, seconds }, text };
      if (counts.different === 0) return result;
      const left = `${path}: ${counted(counts.different, 'order')} with other values not changed`;
      const remedy = options.replace
        ? 'read the reasons above, and correct the lines or run the command again'
        : `--replace changes them unless they are ${finalStates}; add --dry-run to see how`;
      return { ...result, failure: new DifferentError(left, { remedy }) };
    },
  });
}

async function runImport(
  request: ImportRequest & ImportOptions,
  { singleAttemptClient, ordersTable: tableName }: StageConnection,
  io: CommandIo,
): Promise<ImportCounts> {
  // The import repeats failed calls itself, so the client must not repeat them as well.
  const table = { ...ordersTable(singleAttemptClient, tableName), wait: io.wait };
  const progress = progressLine(io);
  const rejects = await openRejects(request);
  const observer: ImportObserver = {
    onProgress: progress.draw,
    onBadLine: (line) => {
      if (rejects === undefined) return;
      if (line.header) writeLine(rejects, line.header);
      writeLine(rejects, reasonLine(line));
      writeLine(rejects, line.raw);
    },
    onText: (text) => {
      progress.clear();
      print(io.stderr, `${request.path}: ${text}`);
    },
  };
  try {
    return await importOrders(request, table, observer, io.interruption);
  } finally {
    progress.clear();
    if (rejects !== undefined) closeSync(rejects);
  }
}

/** Opens the file for bad lines. @throws InvalidValueError if it is not a file, or is the one to import */
async function openRejects({ rejects, path }: ImportRequest & ImportOptions) {
  if (rejects === undefined) return undefined;
  await refuseUnlessFile('--rejects', rejects);
  const [present, read] = await Promise.all(
    [rejects, path].map((file) => realpath(file).catch(() => undefined)),
  );
  if (present !== undefined && present === read) {
    throw new InvalidValueError('--rejects', rejects, 'a file other than the one to import');
  }
  try {
    return openSync(rejects, 'w', 0o600);
  } catch (error) {
    throw new InvalidValueError('--rejects', rejects, `a file to write (${reasonOf(error)})`);
  }
}

function writeLine(file: number, line: Buffer | string): void {
  writeSync(file, Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
}

const importHelp = `
A file of JSON Lines has one order on each line, as "orders export" writes it:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
A CSV file names these fields in its first line. Only id is required; status is one of
${orderStatuses.join(', ')}. A new order without a status is pending, or shipped if "complete" is true.

Existing orders do not change. If one differs from its line, the import reports it and ends with exit code
4. With --replace it takes the values of the line, which needs a status, unless somebody else changes it
meanwhile. A ${finalStates} order keeps its state. If an import is interrupted, run it again.

The file of --rejects has each bad line below a comment with its error. Correct it and import it.`;

function importText(
  { inserted, alreadyThere, replaced, different, rejected }: ImportCounts,
  { replace, dryRun }: ImportOptions,
  seconds: number,
): string {
  const imported = `${dryRun ? 'Would have imported' : 'Imported'} ${counted(inserted, 'order')}`;
  const changed = replace ? ` and changed ${grouped(replaced)}` : '';
  const kept = different > 0 ? ` ${grouped(different)} with other values not changed;` : '';
  return (
    `${imported}${changed} in ${seconds.toFixed(1)} s; ${grouped(alreadyThere)} already existed;` +
    `${kept} ${counted(rejected, 'bad line')} left out.`
  );
}
