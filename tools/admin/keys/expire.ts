import { Argument } from 'commander';
import type { Result } from '../console/command-io.ts';
import { futureSeconds, timeAhead } from '../console/option-values.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import { isoTime } from '../store/history.ts';
import { findKey, validEntry } from '../store/keys.ts';
import { changedKey } from './key-view.ts';
import { askAndRevoke } from './revoke.ts';

/** Parses the time at which a key expires; undefined for `never`. */
const expiryOf = (text: string) => (text === 'never' ? undefined : timeAhead(text));

export const expire: Verb = {
  usage: 'expire <keyId>',
  arguments: [
    new Argument('<when>', 'a duration from now, a date, or never; 0s revokes the key').argParser(
      expiryOf,
    ),
  ],
  description: "change a key's expiry",
  options: [yesOption, asOption],
  asks: 'If the new expiry is earlier than the old one, the command asks for confirmation',
  examples: [
    `keys expire ${keyIdOfExamples} 2026-12-31 --stage prod`,
    `keys expire ${keyIdOfExamples} 30d --stage prod`,
  ],
  run: expireOrRevoke,
};

async function expireOrRevoke(call: Call, keyId = '', when = ''): Promise<Result> {
  const { stage, confirm } = call;
  const time = expiryOf(when);
  const nowMs = stage.now();
  const isNow = time?.(nowMs) === nowMs;
  const expiresAt = time && !isNow ? futureSeconds('when', time, nowMs) : undefined;
  const key = await findKey(keyId, stage);
  if (isNow) return askAndRevoke(key, call);
  const { expiresAt: before } = validEntry(key, 'changed', stage);
  if (expiresAt !== undefined && expiresAt < (before ?? Infinity)) {
    const today = before === undefined ? 'never expires' : `expires at ${isoTime(before)}`;
    await confirm(`Let ${keyId} expire at ${isoTime(expiresAt)}? At present, it ${today}.`);
  }
  const view = await changedKey(key, 'keys expire', { expiresAt }, stage);
  const end = view.expiresAt ? `works until ${view.expiresAt}` : 'never expires';
  return { value: view, text: `${keyId} ${end}.` };
}
