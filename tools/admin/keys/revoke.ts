import type { Result } from '../console/command-io.ts';
import { asOption, type Call, keyIdOfExamples, type Verb, yesOption } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeKeys } from '../store/key-change.ts';
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
  const { keyId } = key;
  await confirm(revokeQuestion(key));
  const wasActive = await revokeKey(keyId, stage);
  const text = wasActive ? `${keyId} is revoked.` : `${keyId} was already ${endOf(key)}.`;
  return { value: { keyId, status: 'revoked', wasActive }, text };
}

/** The question before a key is revoked. */
export function revokeQuestion({ keyId, owner, details }: StoredKey): string {
  const name = [details.label, `…${details.lastFour}`].filter(Boolean).join(', ');
  return `Revoke ${keyId} (${name}) of ${owner.details.name}? It is refused from its next request on, for good.`;
}

/** Removes a key's entry from the ApiKeys table, so that the key is refused. Returns false if there is no entry. */
export async function revokeKey(keyId: string, stage: KeyStage): Promise<boolean> {
  const key = await findKey(keyId, stage);
  if (!key.entry) return false;
  await changeKeys(key.owner, { command: 'keys revoke', old: key }, stage);
  return true;
}
