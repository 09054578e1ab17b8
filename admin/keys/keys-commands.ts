import { type Command, Option } from 'commander';
import { type PlanName, planNames } from '../../lib/settings/plans.ts';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples, wholeNumber } from '../console/command-options.ts';
import { parseDuration } from '../console/duration.ts';
import {
  type ConfirmationOptions,
  confirm,
  confirmationHelp,
  readSecret,
} from '../console/questions.ts';
import { isoTime } from '../owners/owner-description.ts';
import { planNamed } from '../owners/owner-limits.ts';
import { connect } from '../stage/stage-connection.ts';
import { findKey, type StoredKey } from './find-key.ts';
import { issueKey } from './issue-key.ts';
import { describeKey, type KeyStatus, keyStatuses, summarizeKey } from './key-description.ts';
import type { IssuedKey } from './key-draft.ts';
import { keyList, keyText, revokeQuestion, tokenText, unbanText } from './key-texts.ts';
import { listKeys } from './list-keys.ts';
import { addPurge } from './purge-command.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { unbanKey } from './unban-key.ts';
import { whoisKey } from './whois-key.ts';

interface IssueOptions extends GlobalOptions {
  owner: string;
  plan?: string;
  label?: string;
  perMinute?: number;
  perDay?: number;
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

/** `keys …`: each command parses, calls one function, and prints what it returns. */
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
    .description('issue a key; its token is shown this once and stored nowhere')
    .requiredOption('--owner <owner>', 'id or name of the owner, whose limits all its keys share')
    .option('--plan <plan>', `creates an owner that does not exist: ${planNames.join(', ')}`)
    .option('--label <text>', 'what the key is for, as "keys list" shows it')
    .option('--expires-in <duration>', 'such as 90d; without it the key never expires')
    .option('--per-minute <requests>', "a new owner's limit; enterprise needs both", wholeNumber)
    .option('--per-day <requests>', "a new owner's limit; at most the plan's", wholeNumber)
    .addHelpText(
      'after',
      examples(
        'keys issue --stage staging --owner "Acme Ltd" --plan free',
        'keys issue --stage prod --owner "Acme Ltd" --label "the shop in Bern"',
        'keys issue --local http://127.0.0.1:3000 --plan pro --owner me --expires-in 24h --json',
      ),
    )
    .action(async () => {
      const options = command.optsWithGlobals<IssueOptions>();
      const { owner, label, perMinute, perDay } = options;
      const plan = options.plan === undefined ? undefined : planNamed(options.plan);
      const expiresAt = expiry(options.expiresIn, io);
      const store = await connect(options, io.now);
      const request = { owner, plan, label, perMinute, perDay, expiresAt };
      const issued = await issueKey(request, store);
      print(io, options, issuedJson(issued), tokenText(issued), issued.apiKey);
    });
}

function addList(keys: Command, io: CommandIo): void {
  const command = keys
    .command('list')
    .description('keys, the newest first')
    .option('--owner <owner>', 'only those of one owner, by its id or name')
    .addOption(new Option('--plan <plan>', 'only those on a plan').choices(planNames))
    .addOption(new Option('--status <status>', 'only those of a status').choices([...keyStatuses]))
    .addHelpText(
      'after',
      examples('keys list --stage prod', 'keys list --stage prod --status banned --json'),
    )
    .action(async () => {
      const options = command.optsWithGlobals<ListOptions>();
      const found = await listKeys(options, await connect(options, io.now));
      print(io, options, found, keyList(found));
    });
}

function addShow(keys: Command, io: CommandIo): void {
  const command = keys
    .command('show <keyId>')
    .description('one key: what its owner has used, and whether it is banned')
    .addHelpText('after', examples('keys show key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      printKey(io, options, await findKey(keyId, await connect(options, io.now)));
    });
}

function addWhois(keys: Command, io: CommandIo): void {
  const command = keys
    .command('whois')
    .description('whose key a token is; the token is read from standard input and shown nowhere')
    .addHelpText('after', examples('keys whois --stage prod', 'keys whois --stage prod < token'))
    .action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const store = await connect(options, io.now);
      const token = await readSecret(io, 'Token:');
      printKey(io, options, await whoisKey(token, store));
    });
}

function addRotate(keys: Command, io: CommandIo): void {
  const command = keys
    .command('rotate <keyId>')
    .description('issue a replacement of the same owner; the old key expires; a ban is handed on')
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
      const store = await connect(options, io.now);
      const rotated = await rotateKey(keyId, { graceSeconds, expiresAt }, store);
      const previousExpiresAt = isoTime(rotated.previousExpiresAt);
      const json = { ...issuedJson(rotated), previousKeyId: keyId, previousExpiresAt };
      const previous = `The old key ${keyId} works until ${previousExpiresAt}.`;
      print(io, options, json, `${tokenText(rotated)}\n${previous}`, rotated.apiKey);
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
      const store = await connect(options, io.now);
      const key = await findKey(keyId, store);
      await confirm(io, options, revokeQuestion(summarizeKey(key, io.now())));
      const { wasActive } = await revokeKey(key, store);
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
      const key = await unbanKey(keyId, await connect(options, io.now));
      print(io, options, key, unbanText(key));
    });
}

function printKey(io: CommandIo, options: GlobalOptions, stored: StoredKey): void {
  const key = describeKey(stored, io.now());
  print(io, options, key, keyText(key));
}

function issuedJson({ expiresAt, label, ...key }: IssuedKey) {
  const iso = expiresAt === undefined ? null : isoTime(expiresAt);
  const { keyId, apiKey, plan, owner, perMinute, perDay, ownerId } = key;
  return {
    ...{ keyId, apiKey, plan, owner, perMinute, perDay, expiresAt: iso, ownerId },
    label: label ?? null,
  };
}

/** Unix seconds. */
function expiry(duration: string | undefined, { now }: CommandIo): number | undefined {
  if (duration === undefined) return undefined;
  return Math.floor(now() / 1_000) + parseDuration('--expires-in', duration);
}
