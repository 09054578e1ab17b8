import type { Command } from 'commander';
import type { CommandIo } from '../console/command-io.ts';
import { addSynonyms, addVerb } from '../console/verb.ts';
import { expire } from './expire.ts';
import { issue } from './issue.ts';
import { list } from './list.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate.ts';
import { show } from './show.ts';
import { unban } from './unban.ts';

/** Adds the group `keys` with its commands. */
export function addKeysCommands(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('issue, show and revoke API keys');
  for (const verb of [issue, list, show, rotate, expire, revoke, unban]) addVerb(keys, io, verb);
  addSynonyms(keys, {
    create: 'issue',
    add: 'issue',
    new: 'issue',
    get: 'show',
    whois: 'show',
    delete: 'revoke',
    remove: 'revoke',
    disable: 'revoke',
    renew: 'rotate',
    replace: 'rotate',
  });
}
