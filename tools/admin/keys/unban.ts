import { asOption, keyIdOfExamples, type Verb } from '../console/verb.ts';
import { findKey, isBanned, validEntry } from '../store/keys.ts';
import { changedKey } from './key-view.ts';

export const unban: Verb = {
  usage: 'unban <keyId>',
  description: 'lift the temporary ban of a key',
  options: [asOption],
  examples: [`keys unban ${keyIdOfExamples} --stage prod`],
  run: async ({ stage }, keyId = '') => {
    const key = await findKey(keyId, stage);
    const wasBanned = isBanned(validEntry(key, 'unbanned', stage), stage);
    const noBan = { bannedUntil: undefined, rejectionWindow: undefined, rejectionCount: undefined };
    const view = await changedKey(key, 'keys unban', noBan, stage);
    const text = wasBanned ? `The ban of ${keyId} is lifted.` : `${keyId} was not banned.`;
    return { value: { ...view, wasBanned }, text };
  },
};
