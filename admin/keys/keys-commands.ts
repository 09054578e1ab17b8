import { type Command, Option } from 'commander';
import type { PlanName } from '../../lib/settings/plans.ts';
import { InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import {
  type CommandIo,
  columnsOf,
  type GlobalOptions,
  print,
  printIssued,
} from '../console/command-io.ts';
import { examples, planOption, wholeNumber } from '../console/command-options.ts';
import { parseDuration } from '../console/duration.ts';
import { type ConfirmationOptions, confirm, confirmationHelp } from '../console/questions.ts';
import { isoTime } from '../owners/owner-description.ts';
import { openStage } from '../stage/open-stage.ts';
import { findKey } from './find-key.ts';
import { issueKey } from './issue-key.ts';
import { describeKey, type KeyStatus, keyStatuses, summarizeKey } from './key-description.ts';
import type { IssuedKey } from './key-draft.ts';
import { issuedText, keyList, keyText, revokeQuestion, unbanText } from './key-texts.ts';
import { listKeys } from './list-keys.ts';
import { addPurge } from './purge-command.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { unbanKey } from './unban-key.ts';
import { addWhois } from './whois-command.ts';

interface IssueOptions extends GlobalOptions {
  owner: string;
  plan?: PlanName;
  perMinute?: number;
  perDay?: number;
  label?: string;
  expiresIn?: string;
}

interface ListOptions extends GlobalOptions {
  owner?: string;
  plan?: PlanName;
  status?: KeyStatus;
}

interface RotateOptions extends GlobalOptions {
  grace: string;
  expiresIn?: string;
}

interface RevokeOptions extends GlobalOptions, ConfirmationOptions {}

/** Adds the commands `keys …`. Each one parses its options, calls one function and prints its result. */
export function addKeysCommands(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('issue, inspect and withdraw API keys');
  addIssue(keys, io);
  addList(keys, io);
  addShow(keys, io);
  addWhois(keys, io);
  addRotate(keys, io);
  addRevoke(keys, io);
  addUnban(keys, io);
  addPurge(keys, io);
}

function addIssue(keys: Command, io: CommandIo): void {
  const command = keys
    .command('issue')
    .description('issue a key; it is shown this once and stored nowhere')
    .requiredOption('--owner <owner>', 'whose it is, by id or name')
    .addOption(planOption("the owner's, which is created if need be"))
    .option('--per-minute <requests>', 'for a new owner: a limit of its own', wholeNumber)
    .option('--per-day <requests>', 'for a new owner: a limit of its own', wholeNumber)
    .option('--label <text>', 'what the key is for, as "keys list" shows it')
    .option('--expires-in <duration>', 'such as 90d; without it the key never expires')
    .addHelpText(
      'after',
      examples(
        'keys issue --stage staging --owner "Acme Ltd" --label "web shop"',
        'keys issue --stage prod --owner Initech --plan enterprise --per-minute 5000 --per-day 2000000',
        'keys issue --local http://127.0.0.1:3000 --owner me --plan pro --expires-in 24h --json',
      ),
    )
    .action(async () => {
      const { expiresIn, ...options } = command.optsWithGlobals<IssueOptions>();
      const request = { ...options, expiresAt: expiry(expiresIn, io) };
      const issued = await issueKey(request, await openStage(io, options));
      await printNewKey(io, options, issued, issuedJson(issued), issuedText(issued));
    });
}

function addList(keys: Command, io: CommandIo): void {
  const command = keys
    .command('list')
    .description('keys, the newest first: all, or those asked for')
    .option('--owner <owner>', 'of this owner, by id or name')
    .addOption(planOption('of owners on this plan'))
    .addOption(new Option('--status <status>', 'in this state').choices(keyStatuses))
    .addHelpText(
      'after',
      examples(
        'keys list --stage prod',
        'keys list --stage prod --owner "Acme Ltd" --json',
        'keys list --stage prod --status banned',
      ),
    )
    .action(async () => {
      const options = command.optsWithGlobals<ListOptions>();
      const found = await listKeys(options, await openStage(io, options));
      const isFiltered = Boolean(options.owner ?? options.plan ?? options.status);
      print(io, options, found, keyList(found, { isFiltered, width: columnsOf(io.stdout) }));
    });
}

function addShow(keys: Command, io: CommandIo): void {
  const command = keys
    .command('show <keyId>')
    .description('one key: its state, when it was used, and what is left to its owner')
    .addHelpText('after', examples('keys show key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const key = await findKey(keyId, await openStage(io, options));
      const description = describeKey(key, io.now());
      print(io, options, description, keyText(description));
    });
}

function addRotate(keys: Command, io: CommandIo): void {
  const command = keys
    .command('rotate <keyId>')
    .description('issue a replacement to the same owner; the old key expires')
    .option('--grace <duration>', 'how long the old key still works', '24h')
    .option('--expires-in <duration>', "the new key's expiry; without it, the old key's")
    .addHelpText(
      'after',
      examples(
        'keys rotate key_… --stage prod --grace 24h',
        'keys rotate key_… --stage prod --grace 0s',
      ),
    )
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<RotateOptions>();
      const graceSeconds = parseDuration('--grace', options.grace);
      const expiresAt = expiry(options.expiresIn, io);
      const store = await openStage(io, options);
      const rotated = await rotateKey(keyId, { graceSeconds, expiresAt }, store);
      const previousExpiresAt = isoTime(rotated.previousExpiresAt);
      const json = { ...issuedJson(rotated), previousKeyId: keyId, previousExpiresAt };
      const text = `${issuedText(rotated)}\nThe old key ${keyId} works until ${previousExpiresAt}.`;
      await printNewKey(io, options, rotated, json, text);
    });
}

function addRevoke(keys: Command, io: CommandIo): void {
  const command = keys
    .command('revoke <keyId>')
    .description('refuse a key from its next request on, for good')
    .option('--yes', 'do not ask')
    .addHelpText('after', confirmationHelp + examples('keys revoke key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<RevokeOptions>();
      const store = await openStage(io, options);
      await confirm(io, options, async () =>
        revokeQuestion(summarizeKey(await findKey(keyId, store), io.now())),
      );
      const { wasActive } = await revokeKey(keyId, store);
      const text = wasActive ? `${keyId} is revoked.` : `${keyId} was revoked before.`;
      print(io, options, { keyId, status: 'revoked', wasActive }, text);
    });
}

function addUnban(keys: Command, io: CommandIo): void {
  const command = keys
    .command('unban <keyId>')
    .description('lift a temporary ban')
    .addHelpText('after', examples('keys unban key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const key = await unbanKey(keyId, await openStage(io, options));
      print(io, options, key, unbanText(key));
    });
}

/** Prints a new key. @throws OperatorError when that fails, with the command that revokes the key */
async function printNewKey(
  io: CommandIo,
  options: GlobalOptions,
  { keyId, apiKey }: IssuedKey,
  json: object,
  text: string,
): Promise<void> {
  try {
    await printIssued(io, options, json, text, apiKey);
  } catch (error) {
    throw new OperatorError(`The API key of ${keyId} could not be written: ${reasonOf(error)}`, {
      remedy: `nobody has it: run "keys revoke ${keyId}", then "keys issue"`,
    });
  }
}

function issuedJson(issued: IssuedKey) {
  const { keyId, apiKey, plan, owner, ownerId, perMinute, perDay, expiresAt } = issued;
  const iso = expiresAt === undefined ? null : isoTime(expiresAt);
  return { keyId, apiKey, plan, owner, ownerId, perMinute, perDay, expiresAt: iso };
}

const expiresIn = '--expires-in';

/**
 * Converts the value of `--expires-in` into Unix seconds.
 *
 * @throws InvalidValueError for no time at all, after which the key would have expired already
 */
function expiry(duration: string | undefined, { now }: CommandIo): number | undefined {
  if (duration === undefined) return undefined;
  const seconds = parseDuration(expiresIn, duration);
  if (seconds > 0) return Math.floor(now() / 1_000) + seconds;
  throw new InvalidValueError(expiresIn, duration, 'a duration of at least a second, such as 90d');
}
