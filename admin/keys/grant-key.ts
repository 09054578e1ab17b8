import { HalfDoneError, OperatorError } from '../../shared/errors.ts';
import { readOwner } from '../owners/find-owner.ts';
import { changeDetails } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { failureText } from '../stage/service-failure.ts';
import type { DraftKey } from './key-draft.ts';

/** The two writes that make a key valid, in this order. */
interface Grant {
  /** Writes the key's details to the Owners table, after which the key is listed. */
  readonly saveDetails: () => Promise<void>;
  /** Writes the key's entry to the ApiKeys table, after which its token is valid. */
  readonly addEntry: () => Promise<void>;
  /** Undoes `saveDetails`. */
  readonly removeDetails: () => Promise<void>;
  /** Describes the problem when it is unknown whether the key is valid, and the remedy. */
  readonly explain: (reason: string) => { problem: string; remedy: string };
}

/**
 * Makes a key valid. Its details are written first, so that every valid token belongs to a key that is
 * listed. If the second write fails, the first is undone; if that fails as well, the error contains
 * the remedy.
 *
 * @throws OperatorError when a write fails
 */
export async function grantKey(draft: DraftKey, grant: Grant, store: KeyStore): Promise<void> {
  try {
    await grant.saveDetails();
    await grant.addEntry();
    // Until the key was valid, a purge could take its details for what an interrupted command left.
    await saveDetails(draft, store);
  } catch (error) {
    if (await isValidDespiteError(draft, grant, error, store)) return;
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`No key was issued: ${failureText(error)}`, {
      cause: error,
      remedy: 'run the command again',
    });
  }
}

// A write whose response was lost may have succeeded. If it has not, the details are removed.
async function isValidDespiteError(
  { issued: { ownerId }, tokenHash }: DraftKey,
  grant: Grant,
  reason: unknown,
  store: KeyStore,
): Promise<boolean> {
  try {
    const owner = await readOwner(ownerId, store);
    if (owner?.item?.keys.has(tokenHash)) return true;
    await grant.removeDetails();
    return false;
  } catch (error) {
    const { problem, remedy } = grant.explain(failureText(reason));
    throw new HalfDoneError(problem, { cause: error, remedy });
  }
}

/** Adds a key's details to its owner's item in the Owners table, if they are not there. */
export async function saveDetails(
  { issued: { keyId, ownerId }, details }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const names = { '#keys': 'keys', '#key': keyId };
  const values = { ':details': details };
  const update = 'SET #keys.#key = if_not_exists(#keys.#key, :details)';
  await changeDetails(ownerId, { update, names, values }, store);
}

/** Removes a key's details, if they exist. */
export async function removeDetails(
  ownerId: string,
  keyId: string,
  store: KeyStore,
): Promise<void> {
  const names = { '#keys': 'keys', '#key': keyId };
  await changeDetails(ownerId, { update: 'REMOVE #keys.#key', names }, store);
}
