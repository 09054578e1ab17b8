import type { Command } from 'commander';
import type { CommandIo } from '../console/command-io.ts';
import { addSynonyms, addVerb } from '../console/verb.ts';
import { create } from './create.ts';
import { deletion } from './delete.ts';
import { history } from './history.ts';
import { list } from './list.ts';
import { rename } from './rename.ts';
import { repair } from './repair.ts';
import { resetUsage } from './reset-usage.ts';
import { resume } from './resume.ts';
import { setPlan } from './set-plan.ts';
import { show } from './show.ts';
import { suspend } from './suspend.ts';
import { usage } from './usage.ts';

const verbs = [
  create,
  list,
  show,
  history,
  usage,
  setPlan,
  repair,
  rename,
  suspend,
  resume,
  resetUsage,
  deletion,
];

/** Adds the group `owners` with its commands. */
export function addOwnersCommands(program: Command, io: CommandIo): void {
  const owners = program
    .command('owners')
    .description('create, show and change owners: their plans, limits and usage');
  for (const verb of verbs) addVerb(owners, io, verb);
  addSynonyms(owners, {
    add: 'create',
    new: 'create',
    get: 'show',
    remove: 'delete',
    upgrade: 'set-plan',
    plan: 'set-plan',
    disable: 'suspend',
    enable: 'resume',
    activate: 'resume',
  });
}
