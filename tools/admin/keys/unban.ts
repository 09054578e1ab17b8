import { asOption, keyIdOfExamples, type Verb } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findKey, isBanned, validEntry } from '../store/keys.ts';
import { changeEntry } from './change-entry.ts';

export const unban: Verb = {
  usage: 'unban <keyId>',
  description: 'lift the temporary ban of a key',
  options: [asOption],
  examples: [`keys unban ${keyIdOfExamples} --stage prod`],
  run: async ({ stage }, keyId) => {
    const view = await unbanKey(keyId!, stage);
    const text = view.wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`;
    return { value: view, text };
  },
};

/** Lifts a key's ban, and resets the key's count of rejections. @throws OperatorError if the key is not valid */
export async function unbanKey(keyId: string, stage: KeyStage) {
  const key = await findKey(keyId, stage);
  const { plans } = stage;
  const before = validEntry(key, 'unbanned', stage.now());
  const noBan = { bannedUntil: undefined, rejectionWindow: undefined, rejectionCount: undefined };
  const view = await changeEntry(key, noBan, 'keys unban', stage);
  return { ...view, wasBanned: isBanned(before, stage.now(), plans) };
}
