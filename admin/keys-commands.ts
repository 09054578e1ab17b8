import { type Command, InvalidArgumentError } from 'commander';
import { planNames } from '../lib/plans.ts';
import { type CommandIo, type GlobalOptions, print } from './command-io.ts';
import { parseDuration } from './duration.ts';
import { findKey } from './find-key.ts';
import { type IssuedKey, issueKey } from './issue-key.ts';
import { describeKey, isoTime, type KeyDescription } from './key-description.ts';
import { planNamed } from './key-limits.ts';
import { keyList, keyText, tokenText } from './key-texts.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { setKeyPlan } from './set-key-plan.ts';
import { connect } from './stage-connection.ts';
import { unbanKey } from './unban-key.ts';

interface LimitOptions {
  perMinute?: number;
  perDay?: number;
}

type IssueOptions = GlobalOptions &
  LimitOptions & { plan: string; owner: string; expiresIn?: string };
type RotateOptions = GlobalOptions & { grace: string; expiresIn?: string };

/** `keys …`: each command parses, calls one function, and prints what it returns. */
export function addKeysCommands(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('issue, inspect and withdraw API keys');
  const store = (options: GlobalOptions) => connect(options, io.now);
  const expiry = (option: string | undefined) =>
    option === undefined ? undefined : nowSeconds(io) + parseDuration('--expires-in', option);

  keys
    .command('issue')
    .description('issue a key; its token is shown this once and stored nowhere')
    .requiredOption('--plan <plan>', planNames.join(', '))
    .requiredOption('--owner <owner>', 'who will use it, as "keys list" shows it')
    .option('--per-minute <requests>', 'its own limit; the enterprise plan needs both', wholeNumber)
    .option('--per-day <requests>', 'its own limit; at most what the plan allows', wholeNumber)
    .option('--expires-in <duration>', 'such as 90d; without it the key never expires')
    .addHelpText(
      'after',
      examples(
        'keys issue --stage staging --plan free --owner "Acme Ltd"',
        'keys issue --stage prod --plan enterprise --owner Initech --per-minute 5000 --per-day 2000000',
        'keys issue --local http://127.0.0.1:3000 --plan pro --owner me --expires-in 24h --json',
      ),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<IssueOptions>();
      const { owner, perMinute, perDay } = options;
      const plan = planNamed(options.plan);
      const expiresAt = expiry(options.expiresIn);
      const issued = await issueKey(
        { plan, owner, perMinute, perDay, expiresAt },
        await store(options),
      );
      print(io, options, issuedJson(issued), tokenText(issued));
    });

  keys
    .command('list')
    .description('all keys, the newest first')
    .addHelpText(
      'after',
      examples('keys list --stage prod', 'keys list --stage prod --json | jq .'),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await listKeys(await store(options));
      print(io, options, found, keyList(found));
    });

  keys
    .command('show <keyId>')
    .description('one key: its limits, what it has used of them, and whether it is banned')
    .addHelpText('after', examples('keys show key_… --stage prod'))
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const key = describeKey(await findKey(keyId, await store(options)), io.now());
      print(io, options, key, keyText(key));
    });

  keys
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
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<RotateOptions>();
      const graceSeconds = parseDuration('--grace', options.grace);
      const expiresAt = expiry(options.expiresIn);
      const rotated = await rotateKey(keyId, { graceSeconds, expiresAt }, await store(options));
      const previousExpiresAt = isoTime(rotated.previousExpiresAt);
      print(
        io,
        options,
        { ...issuedJson(rotated), previousKeyId: keyId, previousExpiresAt },
        `${tokenText(rotated)}\n\nThe old key ${keyId} works until ${previousExpiresAt}.`,
      );
    });

  keys
    .command('revoke <keyId>')
    .description('refuse a key from its next request on, for good')
    .addHelpText('after', examples('keys revoke key_… --stage prod'))
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { wasActive } = await revokeKey(keyId, await store(options));
      const text = wasActive
        ? `${keyId} is revoked.`
        : `${keyId} was revoked before, and still is.`;
      print(io, options, { keyId, status: 'revoked', wasActive }, text);
    });

  keys
    .command('set-plan <keyId> <plan>')
    .description(`move a key to another plan: ${planNames.join(', ')}`)
    .option('--per-minute <requests>', 'its own limit; the enterprise plan needs both', wholeNumber)
    .option('--per-day <requests>', 'its own limit; at most what the plan allows', wholeNumber)
    .addHelpText('after', examples('keys set-plan key_… pro --stage prod'))
    .action(async (keyId: string, planName: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & LimitOptions>();
      const key = await setKeyPlan(keyId, planNamed(planName), options, await store(options));
      print(io, options, key, keyText(key));
    });

  keys
    .command('unban <keyId>')
    .description('lift a temporary ban')
    .addHelpText('after', examples('keys unban key_… --stage prod'))
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const key = await unbanKey(keyId, await store(options));
      print(io, options, key, unbanText(key));
    });
}

/** Examples below a command's help. */
export function examples(...commands: string[]): string {
  const lines = commands.map((command) => `  npm run admin -- ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** A commander argument parser. */
export function wholeNumber(text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('Expected a whole number from 1.');
}

function issuedJson({ keyId, apiKey, plan, owner, perMinute, perDay, expiresAt }: IssuedKey) {
  const expiry = expiresAt === undefined ? null : isoTime(expiresAt);
  return { keyId, apiKey, plan, owner, perMinute, perDay, expiresAt: expiry };
}

function unbanText({ keyId, wasBanned, usage }: KeyDescription & { wasBanned: boolean }): string {
  const { remaining, resetsAt } = usage.minute;
  const wait = remaining > 0 ? '' : ` Its minute is used up: it is served from ${resetsAt} on.`;
  return (wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`) + wait;
}

function nowSeconds(io: CommandIo): number {
  return Math.floor(io.now() / 1_000);
}
