import { HalfDoneError, OperatorError } from '../../shared/errors.ts';
import { readOwner } from '../owners/find-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { failureText } from '../stage/service-failure.ts';
import type { DraftKey } from './key-draft.ts';

/** The two writes that make a key valid, in this order. */
export interface Grant {
  /** Writes the key's details into the Owners table: from then on the key is listed. */
  readonly note: () => Promise<void>;
  /** Writes the key's entry into the ApiKeys table: from then on its token works. */
  readonly enter: () => Promise<void>;
  /** Takes the details away again. */
  readonly forget: () => Promise<void>;
  /** What to tell when it cannot be known whether the key is valid, and what repairs it. */
  readonly explain: (reason: string) => { problem: string; remedy: string };
}

/**
 * Makes a key valid, its details first, so that no token ever works whose key nobody knows of. When
 * a write fails, what was done is taken back; when not even that can be done, the error says what
 * repairs it.
 *
 * @throws OperatorError
 */
export async function grantKey(draft: DraftKey, grant: Grant, store: KeyStore): Promise<void> {
  try {
    await grant.note();
    await grant.enter();
  } catch (error) {
    if (await isValidAfterAll(draft, grant, error, store)) return;
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`No key was issued: ${failureText(error)}`, {
      cause: error,
      remedy: 'run the command again',
    });
  }
}

// A write whose answer was lost may have arrived. If it has not, nothing of the key should stay.
async function isValidAfterAll(
  { issued: { ownerId }, tokenHash }: DraftKey,
  grant: Grant,
  reason: unknown,
  store: KeyStore,
): Promise<boolean> {
  try {
    const owner = await readOwner(ownerId, store);
    if (owner?.item?.keys.has(tokenHash)) return true;
    await grant.forget();
    return false;
  } catch (error) {
    const { problem, remedy } = grant.explain(failureText(reason));
    throw new HalfDoneError(problem, { cause: error, remedy });
  }
}

/** Adds a key's details to its owner's. Returns whether the condition, if any, held. */
export async function noteDetails(
  { issued: { keyId, ownerId }, details }: DraftKey,
  store: KeyStore,
): Promise<void> {
  await change(
    {
      table: store.ownersTable,
      key: { ownerId },
      update: 'SET #keys.#key = :details',
      condition: 'attribute_exists(ownerId)',
      names: { '#keys': 'keys', '#key': keyId },
      values: { ':details': details },
    },
    store,
  );
}

/** Removes a key's details, if they are there. */
export async function forgetDetails(
  ownerId: string,
  keyId: string,
  store: KeyStore,
): Promise<void> {
  await change(
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
