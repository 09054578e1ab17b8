import { hashToken } from '../../../lambdas/shared/api-key.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { createKeyId, createToken, ownCharactersOf } from '../../shared/api-key-token.ts';
import { HalfDoneError, OperatorError } from '../../shared/errors.ts';
import { readOwner } from '../owners/find-owner.ts';
import type { CompleteOwner, DocumentOfEntry, KeyDetails } from '../owners/stored-owner.ts';
import { change } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { failureText } from '../stage/service-failure.ts';

/** A new key with its token. */
export interface IssuedKey {
  keyId: string;
  /** The bearer token, which is shown once and never stored. */
  apiKey: string;
  plan: PlanName;
  /** The owner's name. */
  owner: string;
  ownerId: string;
  perMinute: number;
  perDay: number;
  /** The expiry in Unix seconds. */
  expiresAt?: number | undefined;
  label?: string | undefined;
}

/** A key that has been generated but not stored, with its details and its entry. */
export interface DraftKey {
  readonly issued: IssuedKey;
  readonly tokenHash: string;
  readonly details: KeyDetails;
  readonly entry: DocumentOfEntry;
}

/** The properties of a key that do not come from its owner. */
export interface KeyTraits {
  readonly label?: string | undefined;
  /** The expiry in Unix seconds. @default - never expires */
  readonly expiresAt?: number | undefined;
}

const shownCharacters = 4;

/** Generates a key of an owner without storing it. */
export function draftKey(
  owner: CompleteOwner,
  { label, expiresAt }: KeyTraits,
  store: KeyStore,
): DraftKey {
  const { ownerId, name, seed } = owner.details;
  const { plan, perMinute, perDay } = owner.item;
  const keyId = createKeyId(ownerId);
  const apiKey = createToken(store.tokenPrefix, seed);
  const tokenHash = hashToken(apiKey);
  const createdAt = new Date(store.now()).toISOString();
  const lastFour = apiKey.slice(-shownCharacters);
  return {
    issued: { keyId, apiKey, plan, owner: name, ownerId, perMinute, perDay, expiresAt, label },
    tokenHash,
    details: { label, lastFour, createdAt, tokenHash },
    entry: { id: ownCharactersOf(keyId), expiresAt },
  };
}

/**
 * Makes a key valid. Its details are written first, so that every valid token belongs to a key that is
 * listed. If the second write fails, the first is undone; if that fails as well, the error contains
 * the remedy.
 *
 * @param addEntry writes the key's entry to the ApiKeys table, after which its token is valid
 * @param remedy what to do when it is not known whether the key is valid
 * @throws OperatorError when a write fails
 */
export async function grantKey(
  draft: DraftKey,
  addEntry: () => Promise<void>,
  remedy: string,
  store: KeyStore,
): Promise<void> {
  try {
    await saveDetails(draft, store);
    await addEntry();
    // Until the key was valid, a purge could take its details for what an interrupted command left.
    await saveDetails(draft, store);
  } catch (error) {
    if (await isValidDespiteError(draft, error, remedy, store)) return;
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`No key was issued: ${failureText(error)}`, {
      cause: error,
      remedy: 'run the command again',
    });
  }
}

// A write whose response was lost may have succeeded. If it has not, the details are removed.
async function isValidDespiteError(
  { issued: { ownerId, keyId }, tokenHash }: DraftKey,
  reason: unknown,
  remedy: string,
  store: KeyStore,
): Promise<boolean> {
  try {
    const owner = await readOwner(ownerId, store);
    if (owner?.item?.keys.has(tokenHash)) return true;
    await removeDetails(ownerId, keyId, store);
    return false;
  } catch (error) {
    const problem =
      `No key was issued: ${failureText(reason)}; what may be left of ${keyId} nobody can use, but ` +
      'it could not be removed';
    throw new HalfDoneError(problem, { cause: error, remedy });
  }
}

/** Adds a key's details to its owner's item in the Owners table, if they are not there. */
function saveDetails(
  { issued: { keyId, ownerId }, details }: DraftKey,
  store: KeyStore,
): Promise<unknown> {
  return change(
    {
      table: store.ownersTable,
      key: { ownerId },
      update: 'SET #keys.#key = if_not_exists(#keys.#key, :details)',
      condition: 'attribute_exists(ownerId)',
      names: { '#keys': 'keys', '#key': keyId },
      values: { ':details': details },
    },
    store,
  );
}

/** Removes a key's details, if they exist. */
export function removeDetails(ownerId: string, keyId: string, store: KeyStore): Promise<unknown> {
  return change(
    {
      table: store.ownersTable,
      key: { ownerId },
      update: 'REMOVE #keys.#key',
      condition: 'attribute_exists(ownerId)',
      names: { '#keys': 'keys', '#key': keyId },
    },
    store,
  );
}
