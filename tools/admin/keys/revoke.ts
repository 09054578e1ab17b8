import type { Result } from '../console/command-io.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { revoked, saveKeys } from '../store/key-change.ts';
import { endOf, findKey, type StoredKey } from '../store/keys.ts';

export const revoke: Verb = {
  usage: 'revoke <keyId>',
  description: 'reject all further requests with a key, permanently',
  options: [yesOption, asOption],
  examples: [`keys revoke ${keyIdOfExamples} --stage prod`],
  run: async (call, keyId = '') => askAndRevoke(await findKey(keyId, call.stage), call),
};

/** Asks for confirmation, and revokes a key. A second run says that the key has already ended. */
export async function askAndRevoke(
  key: StoredKey,
  { stage, confirm }: Pick<Call, 'stage' | 'confirm'>,
): Promise<Result & { value: object }> {
  const { keyId, entry } = key;
  await confirm(revokeQuestion(key));
  await revokeKey(key, stage);
  const wasActive = entry !== undefined;
  const text = wasActive ? `${keyId} is revoked.` : `${keyId} was already ${endOf(key)}.`;
  return { value: { keyId, status: 'revoked', wasActive }, text };
}

/** The question before a key is revoked. */
export function revokeQuestion({ keyId, owner, details }: StoredKey): string {
  const name = [details.label, `…${details.lastFour}`].filter(Boolean).join(', ');
  return `Revoke ${keyId} (${name}) of ${owner.details.name}? It is refused from its next request on, for good.`;
}

/** Removes a key's entry from the ApiKeys table, so that the key is refused. Changes nothing if there is no entry. */
export async function revokeKey(key: StoredKey, stage: KeyStage): Promise<void> {
  if (key.entry) await saveKeys('keys revoke', [revoked(key, stage)], stage);
}
