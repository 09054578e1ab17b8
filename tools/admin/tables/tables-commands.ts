import { Argument, type Command } from 'commander';
import { WrongStateError } from '../../shared/errors.ts';
import type { CommandIo } from '../console/command-io.ts';
import { timeOption } from '../console/option-values.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { deleteRestoredTable, restoreTable } from './restore-table.ts';

const tables = {
  orders: ({ orders }: Call['stage']) => orders.tableName,
  'api-keys': ({ apiKeysTable }: Call['stage']) => apiKeysTable,
  owners: ({ ownersTable }: Call['stage']) => ownersTable,
} as const;

/** Adds the commands `tables …`, which need the permissions of an administrator. */
export function addTablesCommands(program: Command, io: CommandIo): void {
  const group = program.command('tables').description('restore tables, and delete restored ones');
  addVerb<{ at?: number }>(group, io, {
    usage: 'restore',
    arguments: [new Argument('<table>', 'the table').choices(Object.keys(tables))],
    description: 'restore a table as a new one, and print its name',
    options: [
      timeOption('--at <time>', 'the point in time to restore; omit it for a deleted table'),
    ],
    help: restoreHelp,
    examples: ['tables restore orders --at 2026-11-20T09:30:00Z --stage prod'],
    run: async (call, table) => {
      refuseLocal(call);
      const source = tables[table as keyof typeof tables](call.stage);
      const restored = await restoreTable(source, call.options.at, call);
      return { value: { table: restored }, text: restored };
    },
  });
  addVerb(group, io, {
    usage: 'delete <name>',
    description: 'delete a restored table that the stage does not use',
    options: [yesOption],
    run: async (call, name) => {
      refuseLocal(call);
      await deleteRestoredTable(name!, call);
      return { value: { table: name }, text: `Deleted ${name}.` };
    },
  });
}

function refuseLocal({ options: { local } }: Call): void {
  if (local === undefined) return;
  throw new WrongStateError('--local: a local run has no recovery', { remedy: 'give --stage' });
}

const restoreHelp = `
It waits up to an hour until the new table has its data, protection, recovery and tags. The stage continues
to use its own table. If it is interrupted, run it again.`;
