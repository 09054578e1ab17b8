import { type Column, counted, grouped, pairs, table } from '../console/text-layout.ts';
import { isoTime } from '../owners/owner-description.ts';
import { limitsText, usageLines } from '../owners/owner-texts.ts';
import type { StoredKey } from './find-key.ts';
import type { KeyDescription, KeySummary } from './key-description.ts';
import type { IssuedKey } from './key-draft.ts';
import type { StageKeys } from './purge-keys.ts';

/** Formats a new key with its token. */
export function issuedText(key: IssuedKey): string {
  const details = pairs([
    ['key id', key.keyId],
    ...optional('label', key.label ?? null),
    ['owner', key.owner],
    ['owner id', key.ownerId],
    ['plan', key.plan],
    ['limits', `${limitsText(key)}, shared by all keys of the owner`],
    ['expires', key.expiresAt === undefined ? 'never' : isoTime(key.expiresAt)],
    ['api key', key.apiKey],
  ]);
  return `${details}\n\nThe API key is shown this once and stored nowhere: hand it over now.`;
}

/** Formats the description of one key. */
export function keyText(key: KeyDescription): string {
  return pairs([
    ['key id', key.keyId],
    ...optional('label', key.label),
    ['api key', key.lastFour === null ? 'unknown' : `ends with ${key.lastFour}`],
    ['owner', key.owner],
    ['owner id', key.ownerId],
    ['plan', key.plan ?? 'none'],
    ['status', key.status],
    ['created', key.createdAt ?? 'unknown'],
    ['expires', key.expiresAt ?? 'never'],
    ...optional('revoked', key.revokedAt),
    ['last used', lastUse(key)],
    ...(key.usage ? usageLines(key.usage) : []),
    ['rejected', `${grouped(key.rejectionsThisMinute)} in this minute`],
    ['ban', key.bannedUntil ? `until ${key.bannedUntil}` : 'none'],
    ...optional('replaces', key.replaces),
    ...optional('replaced by', key.replacedBy),
  ]);
}

/** Formats a list of keys as a table. */
export function keyList(
  keys: KeySummary[],
  { isFiltered, width }: { isFiltered: boolean; width?: number },
): string {
  if (keys.length > 0) return table(keyColumns, keys, width);
  return isFiltered ? 'There are no such keys.' : 'There are no keys yet; "keys issue" makes one.';
}

const keyColumns: readonly Column<KeySummary>[] = [
  { heading: 'KEY ID', cell: ({ keyId }) => keyId },
  { heading: 'OWNER', cell: ({ owner }) => owner, isCuttable: true },
  { heading: 'PLAN', cell: ({ plan }) => plan ?? '-' },
  { heading: 'LABEL', cell: ({ label }) => label ?? '-', isCuttable: true },
  { heading: 'API KEY', cell: ({ lastFour }) => (lastFour === null ? '-' : `…${lastFour}`) },
  { heading: 'STATUS', cell: ({ status }) => status },
  { heading: 'CREATED', cell: ({ createdAt }) => createdAt ?? '-' },
  { heading: 'EXPIRES', cell: ({ expiresAt }) => expiresAt ?? 'never' },
  { heading: 'LAST USED', cell: (key) => lastUse(key) },
];

/** Formats the description of a key, with the commands for a token that has leaked. */
export function whoisText(key: KeyDescription): string {
  return `${keyText(key)}\n\n${adviceOn(key)}`;
}

function adviceOn({ keyId, status, replacedBy }: KeyDescription): string {
  if (status === 'expired' || status === 'revoked' || status === 'unfinished') {
    return 'The API key is not valid.';
  }
  const replace = replacedBy ? '' : `"keys rotate ${keyId} --grace 0s" replaces it, `;
  return `The API key is valid: ${replace}"keys revoke ${keyId}" ends it.`;
}

/** Formats the result of lifting a ban. */
export function unbanText({ keyId, wasBanned, usage }: KeyDescription & { wasBanned: boolean }) {
  const full = [usage?.day, usage?.minute].find((window) => window?.remaining === 0);
  const wait = full
    ? ` Its owner has used up its limit: it is served from ${full.resetsAt} on.`
    : '';
  return (wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`) + wait;
}

/** The question before a key is revoked. */
export function revokeQuestion({ keyId, owner, label, lastFour }: KeySummary): string {
  const name = [label, lastFour && `…${lastFour}`].filter(Boolean).join(', ');
  return `Revoke ${keyId}${name && ` (${name})`} of ${owner}? It is refused from its next request on, for good.`;
}

/** The question before keys are purged. */
export function purgeQuestion(keys: readonly StoredKey[]): string {
  return `Remove all that is stored of ${counted(keys.length, 'key')} that ${
    keys.length === 1 ? 'is' : 'are'
  } not valid any more?`;
}

/** The question before a stage's keys are withdrawn. */
export function withdrawQuestion({ valid, gatewayKeys }: StageKeys, label: string): string {
  return (
    `Withdraw all ${counted(valid.length, 'key')} of ${label}, and delete its ` +
    `${counted(gatewayKeys.length, 'API Gateway key')}? Every client is refused from its next ` +
    'request on.'
  );
}

/** Formats the time of the last use, which is stored to the minute. */
function lastUse({ lastUsedAt }: KeySummary): string {
  return lastUsedAt?.replace(/:00Z$/, 'Z') ?? 'never';
}

function optional(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}
