import { Option } from 'commander';
import { WrongStateError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { futureSeconds, type Time, timeAhead } from '../console/option-values.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import { isoTime } from '../console/view.ts';
import { size, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { differences } from '../store/history.ts';
import { changeKeys, pathOf } from '../store/key-change.ts';
import { findKey, replacementOf, type StoredKey, validEntry } from '../store/keys.ts';
import type { StoredEntry } from '../store/stored-owner.ts';
import { keyView } from './key-view.ts';
import { draftKey, type IssuedKey, issuedResult } from './new-key.ts';
import { askAndRevoke, revokeQuestion } from './revoke.ts';

export const rotate: Verb<{ grace: Time }> = {
  usage: 'rotate <keyId>',
  description: 'replace a key with a new key that has the same label, access and expiry',
  options: [
    new Option(
      '--grace <duration>',
      'how long the old key keeps working: a duration, or a date; 0s revokes it now',
    )
      .argParser(timeAhead)
      .default(timeAhead('24h'), '24h'),
    yesOption,
    asOption,
  ],
  asks: 'If the old key is revoked at once, the command asks for confirmation',
  help: `A key can be replaced only once. If a replaced key leaks before it expires,
--grace 0s revokes it, and issues no other key.`,
  examples: [
    `keys rotate ${keyIdOfExamples} --stage prod`,
    `keys rotate ${keyIdOfExamples} --stage prod --grace 0s`,
  ],
  run: rotateOrRevoke,
};

async function rotateOrRevoke(call: Call<{ grace: Time }>, keyId = ''): Promise<Result> {
  const { stage, options, confirm } = call;
  const nowMs = stage.now();
  const isNow = options.grace(nowMs) === nowMs;
  const graceEnd = isNow
    ? Math.floor(nowMs / 1_000)
    : futureSeconds('--grace', options.grace, nowMs);
  if (isNow) {
    const old = await findKey(keyId, stage);
    const replacement = replacementOf(old)?.keyId;
    if (replacement !== undefined) {
      const { value, text } = await askAndRevoke(old, call);
      return {
        value: { ...value, replacedBy: replacement },
        text: `${text} ${replacement} has replaced it.`,
      };
    }
    validEntry(old, 'rotated', nowMs);
    await confirm(revokeQuestion(old));
  }
  const rotated = await rotateKey(keyId, graceEnd, stage);
  const { previousExpiresAt: end } = rotated;
  const fate = end === null ? 'is revoked' : `works until ${end}`;
  return issuedResult(rotated, `\nThe old key ${keyId} ${fate}.`);
}

/**
 * Replaces a key with a new key that inherits its label, access, expiry, ban and count of rejections. The transaction
 * fails if the old key's ban or expiry, or the number of keys, has changed since it was read. So a ban that begins at
 * the same time is not lost, and the second of two simultaneous rotations fails.
 *
 * @param graceEnd the old token's end, in Unix seconds. If this time has passed, the old key is revoked
 * @returns the new key, and the old key's expiry, which is null if it is revoked
 * @throws OperatorError if the key is not valid, if it was already rotated, or if the owner would have too many keys
 */
export async function rotateKey(
  keyId: string,
  graceEnd: number,
  stage: KeyStage,
): Promise<IssuedKey & { previousKeyId: string; previousExpiresAt: string | null }> {
  const old = await findKey(keyId, stage);
  refuseReplaced(old);
  const entry = validEntry(old, 'rotated', stage.now());
  const { bannedUntil, expiresAt } = entry;
  const { owner } = old;
  const traits = { label: old.details?.label, replaces: keyId };
  const draft = draftKey(owner, traits, inheritedFrom(entry), stage);
  // A rotation must not let the old key work longer than it would without the rotation.
  const end = isOver(graceEnd, stage) ? undefined : Math.min(graceEnd, expiresAt ?? graceEnd);
  const [from, to] = [expiresAt, end].map((time) => (time ? isoTime(time) : undefined));
  const change = {
    deed: {
      command: 'keys rotate',
      keyIds: [keyId, draft.keyId],
      changes: end
        ? differences({ expiresAt: from }, { expiresAt: to })
        : differences({}, { status: 'revoked' }),
    },
    added: draft,
    ...(end ? { changed: { key: old, values: { expiresAt: end } } } : { revoked: old }),
    where: {
      [`${pathOf(old)}.bannedUntil`]: unchanged(bannedUntil),
      [`${pathOf(old)}.expiresAt`]: unchanged(expiresAt),
    },
    // Another rotation of the same key may have run between the read of the details and the read of the item.
    whereDetails: { keys: size('=', Object.keys(owner.details.keys).length) },
  };
  // The view is made before the change, because after the change nothing must fail.
  const view = keyView(draft, stage.now(), stage.plans);
  await changeKeys(owner, change, stage);
  const { apiKey } = draft;
  return { ...view, apiKey, previousKeyId: keyId, previousExpiresAt: to ?? null };
}

const isOver = (seconds: number, { now }: KeyStage) => seconds <= Math.floor(now() / 1_000);

/** @throws WrongStateError if a key already has a replacement */
function refuseReplaced(key: StoredKey): void {
  const replacement = replacementOf(key);
  if (!replacement) return;
  const { keyId: by } = replacement;
  const problem = `nothing was changed: ${by} has already replaced ${key.keyId}`;
  const remedy =
    `"./admin keys show ${by}" shows whether the new key is used; if nobody has received its API key, ` +
    `"./admin keys rotate ${by}" replaces the new key; ` +
    `if the old API key has leaked, "./admin keys revoke ${key.keyId}" ends it`;
  throw new WrongStateError(problem, { remedy });
}

/** The values of an entry that a replacement inherits: all except the id and the last use. */
function inheritedFrom({ id: _id, usedAt: _usedAt, ...inherited }: StoredEntry) {
  return inherited;
}
