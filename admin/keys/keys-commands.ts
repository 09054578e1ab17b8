import type { Command } from 'commander';
import { planNames } from '../../lib/settings/plans.ts';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples, wholeNumber } from '../console/command-options.ts';
import { parseDuration } from '../console/duration.ts';
import { connect } from '../stage/stage-connection.ts';
import { findKey } from './find-key.ts';
import { type IssuedKey, issueKey } from './issue-key.ts';
import { describeKey, isoTime } from './key-description.ts';
import { planNamed } from './key-limits.ts';
import { keyList, keyText, tokenText, unbanText } from './key-texts.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { setKeyPlan } from './set-key-plan.ts';
import { unbanKey } from './unban-key.ts';

interface LimitOptions extends GlobalOptions {
  perMinute?: number;
  perDay?: number;
}

interface IssueOptions extends LimitOptions {
  plan: string;
  owner: string;
  expiresIn?: string;
}

interface RotateOptions extends GlobalOptions {
  grace: string;
  expiresIn?: string;
}

/** `keys …`: each command parses, calls one function, and prints what it returns. */
export function addKeysCommands(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('issue, inspect and withdraw API keys');
  addIssue(keys, io);
  addList(keys, io);
  addShow(keys, io);
  addRotate(keys, io);
  addRevoke(keys, io);
  addSetPlan(keys, io);
  addUnban(keys, io);
}

function addIssue(keys: Command, io: CommandIo): void {
  const command = keys
    .command('issue')
    .description('issue a key; its token is shown this once and stored nowhere')
    .requiredOption('--plan <plan>', planNames.join(', '))
    .requiredOption('--owner <owner>', 'who will use it, as "keys list" shows it')
    .option('--expires-in <duration>', 'such as 90d; without it the key never expires')
    .addHelpText(
      'after',
      examples(
        'keys issue --stage staging --plan free --owner "Acme Ltd"',
        'keys issue --stage prod --plan enterprise --owner Initech --per-minute 5000 --per-day 2000000',
        'keys issue --local http://127.0.0.1:3000 --plan pro --owner me --expires-in 24h --json',
      ),
    )
    .action(async () => {
      const options = command.optsWithGlobals<IssueOptions>();
      const { owner, perMinute, perDay } = options;
      const plan = planNamed(options.plan);
      const expiresAt = expiry(options.expiresIn, io);
      const store = await connect(options, io.now);
      const issued = await issueKey({ plan, owner, perMinute, perDay, expiresAt }, store);
      print(io, options, issuedJson(issued), tokenText(issued));
    });
  addLimitOptions(command);
}

function addList(keys: Command, io: CommandIo): void {
  const command = keys
    .command('list')
    .description('all keys, the newest first')
    .addHelpText('after', examples('keys list --stage prod', 'keys list --stage prod --json'))
    .action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await listKeys(await connect(options, io.now));
      print(io, options, found, keyList(found));
    });
}

function addShow(keys: Command, io: CommandIo): void {
  const command = keys
    .command('show <keyId>')
    .description('one key: its limits, what it has used of them, and whether it is banned')
    .addHelpText('after', examples('keys show key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const item = await findKey(keyId, await connect(options, io.now));
      const key = describeKey(item, io.now());
      print(io, options, key, keyText(key));
    });
}

function addRotate(keys: Command, io: CommandIo): void {
  const command = keys
    .command('rotate <keyId>')
    .description('issue a replacement with the same owner, plan and limits; the old key expires')
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
      print(io, options, json, `${tokenText(rotated)}\n${previous}`);
    });
}

function addRevoke(keys: Command, io: CommandIo): void {
  const command = keys
    .command('revoke <keyId>')
    .description('refuse a key from its next request on, for good')
    .addHelpText('after', examples('keys revoke key_… --stage prod'))
    .action(async (keyId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { wasActive } = await revokeKey(keyId, await connect(options, io.now));
      const text = wasActive ? `${keyId} is revoked.` : `${keyId} was revoked before.`;
      print(io, options, { keyId, status: 'revoked', wasActive }, text);
    });
}

function addSetPlan(keys: Command, io: CommandIo): void {
  const command = keys
    .command('set-plan <keyId> <plan>')
    .description(`move a key to another plan: ${planNames.join(', ')}`)
    .addHelpText('after', examples('keys set-plan key_… pro --stage prod'))
    .action(async (keyId: string, planName: string) => {
      const options = command.optsWithGlobals<LimitOptions>();
      const plan = planNamed(planName);
      const key = await setKeyPlan(keyId, plan, options, await connect(options, io.now));
      print(io, options, key, keyText(key));
    });
  addLimitOptions(command);
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

function addLimitOptions(command: Command): void {
  command
    .option('--per-minute <requests>', 'its own limit; the enterprise plan needs both', wholeNumber)
    .option('--per-day <requests>', 'its own limit; at most what the plan allows', wholeNumber);
}

function issuedJson({ keyId, apiKey, plan, owner, perMinute, perDay, expiresAt }: IssuedKey) {
  const iso = expiresAt === undefined ? null : isoTime(expiresAt);
  return { keyId, apiKey, plan, owner, perMinute, perDay, expiresAt: iso };
}

/** Unix seconds. */
function expiry(duration: string | undefined, { now }: CommandIo): number | undefined {
  if (duration === undefined) return undefined;
  return Math.floor(now() / 1_000) + parseDuration('--expires-in', duration);
}
