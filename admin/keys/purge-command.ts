import type { Command } from 'commander';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples } from '../console/command-options.ts';
import { parseDuration } from '../console/duration.ts';
import { type ConfirmationOptions, confirm, confirmAlways } from '../console/questions.ts';
import { counted } from '../console/text-layout.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { connect } from '../stage/stage-connection.ts';
import { summarizeKey } from './key-description.ts';
import { purgeQuestion } from './key-texts.ts';
import { endedKeys, purgeGatewayKeys, purgeKeys } from './purge-keys.ts';

interface PurgeOptions extends GlobalOptions, ConfirmationOptions {
  olderThan: string;
  all?: boolean;
}

const help = `
It forgets keys that were revoked or have expired, after which "keys whois" does not know their tokens
any more. With --all it deletes what a stage has in API Gateway and its stack does not know of: run
that once, before the stack is destroyed. On a terminal it asks first; --all needs --yes without one.
${examples('keys purge --stage prod --older-than 90d', 'keys purge --stage staging --all')}`;

/** `keys purge`. */
export function addPurge(keys: Command, io: CommandIo): void {
  const command = keys
    .command('purge')
    .description('forget keys that ended long ago, or a whole stage before it is destroyed')
    .option('--older-than <duration>', 'how long ago a key must have ended', '90d')
    .option('--all', "delete all of the stage's API Gateway keys, so that every request fails")
    .option('--yes', 'do not ask')
    .addHelpText('after', help)
    .action(async () => {
      const options = command.optsWithGlobals<PurgeOptions>();
      const olderThanSeconds = parseDuration('--older-than', options.olderThan);
      const store = await connect(options, io.now);
      if (options.all) await purgeStage(io, options, store);
      else await purgeEnded(io, options, olderThanSeconds, store);
    });
}

async function purgeEnded(
  io: CommandIo,
  options: PurgeOptions,
  olderThanSeconds: number,
  store: KeyStore,
): Promise<void> {
  const ended = await endedKeys(io.now() / 1_000 - olderThanSeconds, store);
  const summaries = ended.map((key) => summarizeKey(key, io.now()));
  if (ended.length > 0) await confirm(io, options, purgeQuestion(summaries));
  await purgeKeys(ended, store);
  const keyIds = summaries.map(({ keyId }) => keyId);
  print(io, options, { purged: keyIds }, `Forgot ${counted(keyIds.length, 'key')}.`);
}

async function purgeStage(io: CommandIo, options: PurgeOptions, store: KeyStore): Promise<void> {
  const question = `Delete every API Gateway key of ${store.stackName}, so that every request fails?`;
  await confirmAlways(io, options, question);
  const gatewayKeys = await purgeGatewayKeys(store);
  const text = `Deleted ${counted(gatewayKeys, 'API Gateway key')} of ${store.stackName}.`;
  print(io, options, { gatewayKeys }, text);
}
