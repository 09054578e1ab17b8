import { hashToken } from '../../../lambdas/keys/api-key.ts';
import { OperatorError, quoted, WrongStateError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { counted, type Field, recordText } from '../console/view.ts';
import { limitsText } from '../owners/owner-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import { leavingKeysOf } from '../store/dead-keys.ts';
import { createKeyId, createToken, ownCharactersOf } from '../store/identities.ts';
import type { StoredKey } from '../store/keys.ts';
import type { CompleteOwner, KeyDetails, StoredEntry } from '../store/stored-owner.ts';
import type { KeyView } from './key-view.ts';

/** A new key as the commands show it, with its bearer token, which is shown once and never stored. */
export type IssuedKey = KeyView & { readonly apiKey: string };

/**
 * The maximum number of an owner's keys. Every request writes the item with all of them, which costs a write unit for
 * each kilobyte, or for about five keys.
 */
export const maxKeys = 100;

const shownCharacters = 4;

/** Generates a key of an owner without storing it. */
export function draftKey(
  owner: CompleteOwner,
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

/** What a change sets to store a key. */
export function attributesOf({ keyId, tokenHash, details, entry }: StoredKey) {
  return { item: { [`keys.${tokenHash}`]: entry }, details: { [`keys.${keyId}`]: details } };
}

/** Returns an error if an owner would have too many keys after a change; undefined otherwise. */
export function tooManyKeys(
  owner: CompleteOwner,
  added: number,
  stage: KeyStage,
): WrongStateError | undefined {
  const left = Object.keys(owner.item.keys).length - leavingKeysOf(owner, stage.now()).length;
  if (left + added <= maxKeys) return undefined;
  const problem = `The owner ${quoted(owner.details.name)} has ${counted(left, 'key')}, and ${maxKeys} is the maximum`;
  return new WrongStateError(problem, {
    remedy: `revoke keys that nobody needs: "./admin keys list --owner ${owner.details.ownerId}" shows them`,
  });
}

/** Stores a key. @param remedy the remedy of the error if it is unknown whether the key was stored */
export async function storeKey(
  keyId: string,
  store: () => Promise<void>,
  remedy: string,
): Promise<void> {
  await store().catch((error) => {
    if (!mayHaveTakenEffect(error)) throw error;
    const problem = `${keyId} may have been issued: ${failureText(error)}`;
    throw new OperatorError(problem, { cause: error, remedy });
  });
}

/** The result of a command that issues a key. */
export function issuedResult<Value extends IssuedKey>(key: Value, note = ''): Result {
  const handOver = 'The API key is shown only once and stored nowhere: hand it over now.';
  return {
    value: key,
    text: `${recordText(issuedFields, key)}\n\n${handOver}${note}`,
    issued: key,
  };
}

const issuedFields: readonly Field<IssuedKey>[] = [
  { name: 'key id', of: ({ keyId }) => keyId },
  { name: 'label', of: ({ label }) => label },
  { name: 'owner', of: ({ owner }) => owner },
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'limits', of: (key) => `${limitsText(key)}, shared by all keys of the owner` },
  { name: 'access', of: ({ isReadOnly }) => (isReadOnly ? 'read-only' : null) },
  { name: 'expires', of: ({ expiresAt }) => expiresAt ?? 'never' },
  { name: 'status', of: issuedStatus },
  { name: 'api key', of: ({ apiKey }) => apiKey },
];

function issuedStatus({ status, ownerId }: IssuedKey): string | null {
  if (status === 'active') return null;
  const resume = `"./admin owners resume ${ownerId}"`;
  return status === 'suspended' ? `suspended; works after ${resume}` : status;
}
