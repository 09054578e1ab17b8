import { hashToken } from '../../../lambdas/keys/api-key.ts';
import type { Result } from '../console/command-io.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { createKeyId, createToken, ownCharactersOf } from '../store/identities.ts';
import { saveKeys } from '../store/key-change.ts';
import type { StoredKey } from '../store/keys.ts';
import type { StoredEntry, StoredOwner } from '../store/stored-owner.ts';
import { type KeyView, keyText, keyView } from './key-view.ts';

/** A new key as the commands show it, with its bearer token, which is shown once and never stored. */
export type IssuedKey = KeyView & { readonly apiKey: string };

/** A key to store. */
interface NewKey {
  readonly command: string;
  readonly owner: StoredOwner;
  readonly label: string | undefined;
  /** The key's expiry, access and ban. */
  readonly entry: Partial<StoredEntry>;
  /** The key that it replaces, as this key should be. */
  readonly old?: StoredKey;
}

const shownCharacters = 4;

/** Generates a key of an owner, and stores it. If it replaces another key, both changes are one transaction. */
export async function storeNewKey(key: NewKey, stage: KeyStage): Promise<IssuedKey> {
  const { command, owner, label, old } = key;
  const { ownerId, seed } = owner.details;
  const keyId = createKeyId(ownerId);
  const apiKey = createToken(stage.tokenPrefix, seed);
  const tokenHash = hashToken(apiKey);
  const createdAt = new Date(stage.now()).toISOString();
  const lastFour = apiKey.slice(-shownCharacters);
  const added = {
    keyId,
    owner,
    tokenHash,
    details: { label, replaces: old?.keyId, lastFour, createdAt, tokenHash },
    entry: { ...key.entry, id: ownCharactersOf(keyId), usedAt: undefined },
  };
  await saveKeys(command, old ? [old, added] : [added], stage);
  return { ...keyView(added, stage), apiKey };
}

/** The result of a command that issues a key. */
export function issuedResult(key: IssuedKey, note = ''): Result {
  const handOver = 'The API key is shown only once and stored nowhere: hand it over now.';
  return { value: key, text: `${keyText(key)}\n\n${handOver}${note}`, issued: key };
}
