import { Option } from 'commander';
import { WrongStateError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { futureSeconds, type Time, timeAhead } from '../console/option-values.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import { isoTime } from '../store/history.ts';
import { changeKeys } from '../store/key-change.ts';
import { findKey, replacementOf, validEntry } from '../store/keys.ts';
import type { StoredEntry } from '../store/stored-owner.ts';
import { keyView } from './key-view.ts';
import { draftKey, issuedResult } from './new-key.ts';
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
  const graceEnd = isNow ? undefined : futureSeconds('--grace', options.grace, nowMs);
  const old = await findKey(keyId, stage);
  const replacedBy = replacementOf(old)?.keyId;
  if (replacedBy !== undefined) {
    if (!isNow) throw alreadyReplaced(keyId, replacedBy);
    const { value, text } = await askAndRevoke(old, call);
    const replacement =
      `${replacedBy} has replaced it. If nobody has received the API key of ${replacedBy}, ` +
      `"./admin keys rotate ${replacedBy} --grace 0s" replaces it.`;
    return { value: { ...value, replacedBy }, text: `${text} ${replacement}` };
  }
  const entry = validEntry(old, 'rotated', stage);
  if (isNow) await confirm(revokeQuestion(old));
  const traits = { label: old.details.label, replaces: keyId };
  const added = draftKey(old.owner, traits, inheritedFrom(entry), stage);
  // A rotation must not let the old key work longer than it would without the rotation.
  const expiresAt = graceEnd && Math.min(graceEnd, entry.expiresAt ?? graceEnd);
  const previousExpiresAt = expiresAt ? isoTime(expiresAt) : null;
  // The result is made before the change, because after the change nothing must fail.
  const view = keyView(added, stage);
  const issued = { ...view, apiKey: added.apiKey, previousKeyId: keyId, previousExpiresAt };
  const fate = previousExpiresAt ? `works until ${previousExpiresAt}` : 'is revoked';
  const result = issuedResult(issued, `\nThe old key ${keyId} ${fate}.`);
  const values = expiresAt ? { expiresAt } : undefined;
  await changeKeys(old.owner, { command: 'keys rotate', added, old, values }, stage);
  return result;
}

function alreadyReplaced(keyId: string, by: string): WrongStateError {
  const problem = `nothing was changed: ${by} has already replaced ${keyId}`;
  const remedy =
    `"./admin keys show ${by}" shows whether the new key is used; if nobody has received its API key, ` +
    `"./admin keys rotate ${by}" replaces the new key; ` +
    `if the old API key has leaked, "./admin keys revoke ${keyId}" ends it`;
  return new WrongStateError(problem, { remedy });
}

/** The values of an entry that a replacement inherits, such as the expiry and a ban: all except the id and the last use. */
function inheritedFrom({ id: _id, usedAt: _usedAt, ...inherited }: StoredEntry) {
  return inherited;
}
