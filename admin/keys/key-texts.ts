import { counted, grouped, pairs, table } from '../console/text-layout.ts';
import { isoTime } from '../owners/owner-description.ts';
import { limitsText, usageLines } from '../owners/owner-texts.ts';
import type { KeyDescription, KeySummary } from './key-description.ts';
import type { IssuedKey } from './key-draft.ts';
import type { Unbanned } from './unban-key.ts';

/** A key that was just issued, with its token. */
export function tokenText(key: IssuedKey): string {
  const details = pairs([
    ['key id', key.keyId],
    ['owner', `${key.owner} (${key.ownerId})`],
    ...optional('label', key.label ?? null),
    ['plan', key.plan],
    ['limits', limitsText(key)],
    ['expires', key.expiresAt === undefined ? 'never' : isoTime(key.expiresAt)],
    ['token', key.apiKey],
  ]);
  return `${details}\n\nThe token is shown this once and stored nowhere: hand it over now.`;
}

/** All that is known of one key. */
export function keyText(key: KeyDescription): string {
  return pairs([
    ['key id', key.keyId],
    ['owner', `${key.owner} (${key.ownerId})`],
    ...optional('label', key.label),
    ['token', tokenEnd(key)],
    ['plan', key.plan ?? '-'],
    ['status', key.status],
    ['created', key.createdAt ?? '-'],
    ['expires', key.expiresAt ?? 'never'],
    ['last used', key.lastUsedAt ?? 'never'],
    // Every key of the owner counts in these.
    ...(key.usage ? usageLines(key.usage) : []),
    ['rejected', `${grouped(key.rejectionsThisMinute)} in this minute`],
    ['ban', key.bannedUntil ? `until ${key.bannedUntil}` : 'none'],
    ...optional('revoked', key.revokedAt),
    ...optional('replaces', key.replaces),
    ...optional('replaced by', key.replacedBy),
  ]);
}

/** Many keys as a table. */
export function keyList(keys: KeySummary[]): string {
  if (keys.length === 0) return 'There are no such keys; "keys issue" makes one.';
  return table(
    ['KEY ID', 'OWNER', 'LABEL', 'TOKEN', 'PLAN', 'STATUS', 'CREATED', 'EXPIRES', 'LAST USED'],
    keys.map((key) => [
      key.keyId,
      key.owner,
      key.label ?? '-',
      tokenEnd(key),
      key.plan ?? '-',
      key.status,
      minuteOf(key.createdAt) ?? '-',
      minuteOf(key.expiresAt) ?? 'never',
      minuteOf(key.lastUsedAt) ?? 'never',
    ]),
  );
}

/** What lifting a ban came to. */
export function unbanText({ keyId, wasBanned, usage }: Unbanned): string {
  const minute = usage?.minute;
  const isUsedUp = minute !== undefined && minute.remaining === 0;
  const wait = isUsedUp ? ` Its minute is used up: it is served from ${minute.resetsAt} on.` : '';
  return (wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`) + wait;
}

/** The question before a key is revoked. */
export function revokeQuestion({ keyId, owner, lastUsedAt }: KeySummary): string {
  return `Revoke ${keyId} of ${owner}, last used ${lastUsedAt ?? 'never'}? That is for good.`;
}

/** The question before ended keys are forgotten. */
export function purgeQuestion(keys: readonly KeySummary[]): string {
  return `${keyList([...keys])}\nForget ${counted(keys.length, 'key')} for good?`;
}

function tokenEnd({ lastFour }: KeySummary): string {
  return lastFour === null ? '-' : `…${lastFour}`;
}

/** `2026-11-20T09:30:15.500Z` as `2026-11-20 09:30`. */
function minuteOf(isoText: string | null): string | undefined {
  return isoText?.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');
}

function optional(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}
