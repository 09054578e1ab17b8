import { Argument, type Command, Option } from 'commander';
import { InvalidValueError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { type Time, timeAhead } from '../console/option-values.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { type Field, isoTime, recordText, tableText } from '../console/view.ts';
import { limitsText } from '../owners/owner-view.ts';
import { endOf, keyStatuses, validEntry } from '../stored/key-state.ts';
import { findKey, type StoredKey } from '../stored/stored-key.ts';
import { expireKey, revokeKey, unbanKey } from './change-key.ts';
import { type IssuedKey, issueKey } from './issue-key.ts';
import { type KeyFilter, keyFields, listKeys } from './key-view.ts';
import { rotateKey } from './rotate-key.ts';
import { addWhoisCommand } from './whois-command.ts';

/** Adds the commands `keys …`. */
export function addKeysCommands(program: Command, io: CommandIo): void {
  const keys = program.command('keys').description('issue, show and revoke API keys');
  addVerb<{ owner: string; label?: string; expiresIn?: Time; readOnly?: boolean }>(keys, io, {
    usage: 'issue',
    alias: 'create',
    description: 'issue a key, which is shown only once and stored nowhere',
    options: [
      new Option('--owner <owner>', "the owner's id or name").makeOptionMandatory(),
      new Option(
        '--label <text>',
        'a note on the purpose of the key; "./admin keys list" shows it',
      ),
      new Option(
        '--expires-in <duration>',
        'the time until the key expires, such as 90d, or a date-time (default: never)',
      ).argParser(timeAhead),
      new Option('--read-only', 'issue a key that can list orders but not cancel them'),
      asOption,
    ],
    examples: ['keys issue --stage prod --owner "Acme Ltd" --label "web shop" --expires-in 90d'],
    run: async ({ stage, options: { owner, label, expiresIn, readOnly } }) => {
      const expiresAt = expiresIn && futureSeconds('--expires-in', expiresIn, stage.now());
      const issued = await issueKey({ owner, label, expiresAt, isReadOnly: readOnly }, stage);
      return { value: issued, text: issuedText(issued), issued };
    },
  });
  addVerb<KeyFilter>(keys, io, {
    usage: 'list',
    description: 'list all keys, or only the keys that the options select, the newest first',
    options: [
      new Option('--owner <owner>', 'only keys of the owner with this id or name'),
      new Option('--status <status>', 'only keys in this state').choices(keyStatuses),
    ],
    examples: ['keys list --stage prod --owner "Acme Ltd" --status banned'],
    run: async ({ stage, options, columns }) => {
      const views = await listKeys(options, stage);
      const none = 'There are no such keys.';
      return { value: views, text: tableText(keyFields, views, none, columns) };
    },
  });
  addWhoisCommand(keys, io);
  addVerb<{ grace: Time }>(keys, io, {
    usage: 'rotate <keyId>',
    description: 'replace a key with a new key that has the same label, access and expiry',
    options: [
      new Option(
        '--grace <duration>',
        'how long the old key keeps working: a duration, or a date-time; 0s revokes it now',
      )
        .argParser(timeAhead)
        .default(timeAhead('24h'), '24h'),
      asOption,
    ],
    examples: ['keys rotate key_… --stage prod --grace 0s'],
    run: async ({ stage, options }, keyId) => {
      const graceEnd = Math.floor(options.grace(stage.now()) / 1_000);
      const rotated = await rotateKey(keyId, graceEnd, stage);
      const end = rotated.previousExpiresAt;
      const previousExpiresAt = end === undefined ? null : isoTime(end);
      const fate = previousExpiresAt ? `works until ${previousExpiresAt}` : 'is revoked';
      return {
        value: { ...rotated, previousKeyId: keyId, previousExpiresAt },
        text: `${issuedText(rotated)}\nThe old key ${keyId} ${fate}.`,
        issued: rotated,
      };
    },
  });
  addVerb(keys, io, {
    usage: 'expire <keyId>',
    arguments: [
      new Argument('<when>', 'a duration from now, a date-time, or never').argParser(expiryOf),
    ],
    description: "change a key's expiry",
    options: [yesOption, asOption],
    asks: 'If the new expiry is earlier than the old one, the command asks for confirmation',
    examples: [
      'keys expire key_… 2026-12-01T00:00:00Z --stage prod',
      'keys expire key_… 30d --stage prod',
    ],
    run: expire,
  });
  addVerb(keys, io, {
    usage: 'revoke <keyId>',
    description: 'reject all further requests with a key, permanently',
    options: [yesOption, asOption],
    run: async ({ stage, confirm }, keyId) => {
      const key = await findKey(keyId, stage);
      await confirm(revokeQuestion(key));
      const wasActive = await revokeKey(keyId, stage);
      const text = wasActive ? `${keyId} is revoked.` : `${keyId} was already ${endOf(key)}.`;
      return { value: { keyId, status: 'revoked', wasActive }, text };
    },
  });
  addVerb(keys, io, {
    usage: 'unban <keyId>',
    description: 'lift the temporary ban of a key',
    options: [asOption],
    run: async ({ stage }, keyId) => {
      const view = await unbanKey(keyId, stage);
      const text = view.wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`;
      return { value: view, text };
    },
  });
}

/** Parses the time at which a key expires; undefined for `never`. */
const expiryOf = (text: string) => (text === 'never' ? undefined : timeAhead(text));

async function expire({ stage, confirm }: Call, keyId: string, when: string): Promise<Result> {
  const time = expiryOf(when);
  const expiresAt = time && futureSeconds('when', time, stage.now());
  const key = await findKey(keyId, stage);
  const { expiresAt: before } = validEntry(key, 'changed', stage.now());
  if (expiresAt !== undefined && expiresAt < (before ?? Infinity)) {
    const today = before === undefined ? 'never expires' : `expires at ${isoTime(before)}`;
    await confirm(`Let ${keyId} expire at ${isoTime(expiresAt)}? At present, it ${today}.`);
  }
  const view = await expireKey(key, expiresAt, stage);
  const end = view.expiresAt ? `works until ${view.expiresAt}` : 'never expires';
  return { value: view, text: `${keyId} ${end}.` };
}

/** Converts a time into Unix seconds. @throws InvalidValueError if it is not ahead */
function futureSeconds(field: string, time: Time, nowMs: number): number {
  const seconds = Math.floor(time(nowMs) / 1_000);
  if (seconds * 1_000 > nowMs) return seconds;
  throw new InvalidValueError(field, isoTime(seconds), 'a time ahead');
}

function issuedText(key: IssuedKey): string {
  return `${recordText(issuedFields, key)}\n\nThe API key is shown only once and stored nowhere: hand it over now.`;
}

const issuedFields: readonly Field<IssuedKey>[] = [
  { name: 'key id', of: ({ keyId }) => keyId },
  { name: 'label', of: ({ label }) => label },
  { name: 'owner', of: ({ owner }) => owner },
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'limits', of: (key) => `${limitsText(key)}, shared by all keys of the owner` },
  { name: 'access', of: ({ isReadOnly }) => (isReadOnly ? 'read-only' : null) },
  { name: 'expires', of: ({ expiresAt }) => expiresAt ?? 'never' },
  { name: 'status', of: issuedStatus },
  { name: 'api key', of: ({ apiKey }) => apiKey },
];

function issuedStatus({ status, ownerId }: IssuedKey): string | null {
  if (status === 'active') return null;
  const resume = `"./admin owners resume ${ownerId}"`;
  return status === 'suspended' ? `suspended; works after ${resume}` : status;
}

function revokeQuestion({ keyId, owner, details }: StoredKey): string {
  const name = [details?.label, details && `…${details.lastFour}`].filter(Boolean).join(', ');
  return `Revoke ${keyId}${name && ` (${name})`} of ${owner.details.name}? It is refused from its next request on, for good.`;
}
