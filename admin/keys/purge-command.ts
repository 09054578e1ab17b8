import type { Command } from 'commander';
import { UsageError } from '../../shared/errors.ts';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples } from '../console/command-options.ts';
import { parseDuration } from '../console/duration.ts';
import {
  type ConfirmationOptions,
  confirm,
  confirmAlways,
  confirmationHelp,
} from '../console/questions.ts';
import { counted } from '../console/text-layout.ts';
import { openStage } from '../stage/open-stage.ts';
import type { StageConnection } from '../stage/stage-connection.ts';
import { purgeQuestion, withdrawQuestion } from './key-texts.ts';
import { findPurgeable, findStageKeys, purgeKeys, withdrawStageKeys } from './purge-keys.ts';

interface PurgeOptions extends GlobalOptions, ConfirmationOptions {
  olderThan?: string;
  owner?: string;
  all?: boolean;
}

const defaultAge = '30d';

const help = `${confirmationHelp}

With --all it withdraws every key of the stage instead, valid or not, and deletes the API Gateway
keys that would outlive the stage: to be run before a stage is destroyed. The owners, their names
and which keys they had stay written down; "owners create" with an owner's name and a plan lets it
have keys again. Without a terminal, --all needs --yes.
${examples('keys purge --stage prod --older-than 90d', 'keys purge --stage staging --all --yes')}`;

/** Adds the command `keys purge`. */
export function addPurge(keys: Command, io: CommandIo): void {
  const command = keys
    .command('purge')
    .description('remove what is stored of keys that were revoked or have expired')
    .option('--older-than <duration>', `how long ago they ended (default: ${defaultAge})`)
    .option('--owner <owner>', 'of this owner only, by id or name')
    .option('--all', 'withdraw all keys, and delete the API Gateway keys of the stage')
    .option('--yes', 'do not ask')
    .addHelpText('after', help)
    .action(async () => {
      const options = command.optsWithGlobals<PurgeOptions>();
      refuseContradiction(options);
      const olderThanSeconds = parseDuration('--older-than', options.olderThan ?? defaultAge);
      const store = await openStage(io, options);
      if (options.all) await withdrawAll(io, options, store);
      else await purge(io, options, olderThanSeconds, store);
    });
}

async function purge(
  io: CommandIo,
  options: PurgeOptions,
  olderThanSeconds: number,
  store: StageConnection,
): Promise<void> {
  const keys = await findPurgeable({ owner: options.owner, olderThanSeconds }, store);
  if (keys.length > 0) await confirm(io, options, () => purgeQuestion(keys));
  await purgeKeys(keys, store);
  const json = { purged: keys.map(({ keyId }) => keyId) };
  print(io, options, json, `Purged ${counted(keys.length, 'key')}.`);
}

async function withdrawAll(
  io: CommandIo,
  options: PurgeOptions,
  store: StageConnection,
): Promise<void> {
  const all = await findStageKeys(store);
  await confirmAlways(io, options, () => withdrawQuestion(all, store.label));
  await withdrawStageKeys(all, store);
  const [keys, gatewayKeys] = [all.valid.length, all.gatewayKeys.length];
  print(
    io,
    options,
    { withdrawn: all.valid.map(({ keyId }) => keyId), gatewayKeys },
    `Withdrew ${counted(keys, 'key')}, and deleted ${counted(gatewayKeys, 'API Gateway key')}.`,
  );
}

function refuseContradiction({ all, owner, olderThan }: PurgeOptions): void {
  if (!all || (owner === undefined && olderThan === undefined)) return;
  throw new UsageError('--all means every key', { remedy: 'leave --owner and --older-than out' });
}
