import { Option } from 'commander';
import { WrongStateError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { futureSeconds, type Time, timeAhead } from '../console/option-values.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import { isoTime } from '../store/history.ts';
import { revoked } from '../store/key-change.ts';
import { findKey, replacementOf, validEntry } from '../store/keys.ts';
import { issuedResult, storeNewKey } from './new-key.ts';
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
  // A rotation must not let the old key work longer than it would without the rotation.
  const expiresAt = graceEnd && Math.min(graceEnd, entry.expiresAt ?? graceEnd);
  const ended = expiresAt ? { ...old, entry: { ...entry, expiresAt } } : revoked(old, stage);
  const { owner, details } = old;
  // The new key inherits the expiry, the access and a ban.
  const added = { command: 'keys rotate', owner, label: details.label, entry, old: ended };
  const issued = await storeNewKey(added, stage);
  const previousExpiresAt = expiresAt ? isoTime(expiresAt) : null;
  const fate = previousExpiresAt ? `works until ${previousExpiresAt}` : 'is revoked';
  const value = { ...issued, previousKeyId: keyId, previousExpiresAt };
  return issuedResult(value, `\nThe old key ${keyId} ${fate}.`);
}

function alreadyReplaced(keyId: string, by: string): WrongStateError {
  const problem = `nothing was changed: ${by} has already replaced ${keyId}`;
  const remedy =
    `"./admin keys show ${by}" shows whether the new key is used; if nobody has received its API key, ` +
    `"./admin keys rotate ${by}" replaces the new key; ` +
    `if the old API key has leaked, "./admin keys revoke ${keyId}" ends it`;
  return new WrongStateError(problem, { remedy });
}
