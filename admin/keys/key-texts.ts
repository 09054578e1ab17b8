import { grouped, pairs, table } from '../console/text-layout.ts';
import type { IssuedKey } from './issue-key.ts';
import { isoTime, type KeyDescription, type KeySummary, type UsageNow } from './key-description.ts';

/** A key that was just issued, with its token. */
export function tokenText(key: IssuedKey): string {
  const details = pairs([
    ['key id', key.keyId],
    ['owner', key.owner],
    ['plan', key.plan],
    ['limits', `${grouped(key.perMinute)} per minute, ${grouped(key.perDay)} per day`],
    ['expires', key.expiresAt === undefined ? 'never' : isoTime(key.expiresAt)],
    ['token', key.apiKey],
  ]);
  return `${details}\n\nThe token is shown this once and stored nowhere: hand it over now.`;
}

/** All that is known of one key. */
export function keyText(key: KeyDescription): string {
  return pairs([
    ['key id', key.keyId],
    ['owner', key.owner],
    ['plan', key.plan],
    ['status', key.status],
    ['created', key.createdAt],
    ['expires', key.expiresAt ?? 'never'],
    ['this minute', usageText(key.usage.minute)],
    ['today', usageText(key.usage.day)],
    ['rejected', `${grouped(key.rejectionsThisMinute)} in this minute`],
    ['ban', key.bannedUntil ? `until ${key.bannedUntil}` : 'none'],
    ...optional('replaces', key.replaces),
    ...optional('replaced by', key.replacedBy),
  ]);
}

/** Many keys as a table. */
export function keyList(keys: KeySummary[]): string {
  if (keys.length === 0) return 'There are no keys yet; "keys issue" makes one.';
  const headings = [
    'KEY ID',
    'OWNER',
    'PLAN',
    'STATUS',
    'PER MINUTE',
    'PER DAY',
    'CREATED',
    'EXPIRES',
  ];
  return table(
    headings,
    keys.map((key) => [
      key.keyId,
      key.owner,
      key.plan,
      key.bannedUntil && key.status === 'active' ? 'banned' : key.status,
      grouped(key.perMinute),
      grouped(key.perDay),
      key.createdAt,
      key.expiresAt ?? 'never',
    ]),
  );
}

/** What lifting a ban came to. */
export function unbanText({ keyId, wasBanned, usage }: KeyDescription & { wasBanned: boolean }) {
  const { remaining, resetsAt } = usage.minute;
  const wait = remaining > 0 ? '' : ` Its minute is used up: it is served from ${resetsAt} on.`;
  return (wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`) + wait;
}

function usageText({ limit, used, resetsAt }: UsageNow): string {
  return `${grouped(used)} of ${grouped(limit)} used, starts anew at ${resetsAt}`;
}

function optional(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}
