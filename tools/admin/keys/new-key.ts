import { hashToken } from '../../../lambdas/keys/api-key.ts';
import type { Result } from '../console/command-io.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { createKeyId, createToken, ownCharactersOf } from '../store/identities.ts';
import type { StoredKey } from '../store/keys.ts';
import type { KeyDetails, StoredEntry, StoredOwner } from '../store/stored-owner.ts';
import { type KeyView, keyText } from './key-view.ts';

/** A new key as the commands show it, with its bearer token, which is shown once and never stored. */
export type IssuedKey = KeyView & { readonly apiKey: string };

const shownCharacters = 4;

/** Generates a key of an owner without storing it. */
export function draftKey(
  owner: StoredOwner,
  details: Pick<KeyDetails, 'label' | 'replaces'>,
  entry: Omit<StoredEntry, 'id'>,
  stage: KeyStage,
): StoredKey & { readonly apiKey: string } {
  const { ownerId, seed } = owner.details;
  const keyId = createKeyId(ownerId);
  const apiKey = createToken(stage.tokenPrefix, seed);
  const tokenHash = hashToken(apiKey);
  const createdAt = new Date(stage.now()).toISOString();
  const lastFour = apiKey.slice(-shownCharacters);
  return {
    keyId,
    owner,
    tokenHash,
    details: { ...details, lastFour, createdAt, tokenHash },
    entry: { ...entry, id: ownCharactersOf(keyId) },
    apiKey,
  };
}

/** The result of a command that issues a key. */
export function issuedResult<Value extends IssuedKey>(key: Value, note = ''): Result {
  const handOver = 'The API key is shown only once and stored nowhere: hand it over now.';
  return {
    value: key,
    text: `${keyText(key)}\n\n${handOver}${note}`,
    issued: key,
  };
}
