import { hashToken } from '../../../lambdas/domain/api-key.ts';
import {
  ChangedMeanwhileError,
  OperatorError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import { checkedText } from '../console/checked-text.ts';
import { findCompleteOwner } from '../owners/find-owner.ts';
import {
  type CompleteOwner,
  changeDetails,
  changeItem,
  type KeyDetails,
  type StoredEntry,
} from '../owners/stored-owner.ts';
import { absent, present, size } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { failureText, mayBeDone } from '../stage/service-failure.ts';
import { createKeyId, createToken, ownCharactersOf } from './api-key-token.ts';

/** The properties that a key does not get from its owner. */
export interface KeyTraits {
  readonly label?: string | undefined;
  /** The expiry in Unix seconds. @default - never expires */
  readonly expiresAt?: number | undefined;
  /** Whether the key may list orders and not cancel them. @default false */
  readonly isReadOnly?: boolean | undefined;
}

export interface KeyRequest extends KeyTraits {
  /** The owner's id or name. */
  readonly owner: string;
}

/** A new key that is not stored yet, with its details and its entry. */
export type DraftKey = ReturnType<typeof draftKey>;

/** A new key with its token. */
export type IssuedKey = DraftKey['issued'];

const maxLabelLength = 100;
const shownCharacters = 4;

/**
 * The maximum number of an owner's keys. Every request writes the item that contains all of them, which
 * costs one write unit per kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** Issues a key to an owner. @throws OperatorError if a value is invalid, or there is no such owner */
export async function issueKey(request: KeyRequest, stage: KeyStage): Promise<IssuedKey> {
  const { expiresAt, isReadOnly } = request;
  const label =
    request.label === undefined ? undefined : checkedText('--label', request.label, maxLabelLength);
  const owner = await findCompleteOwner(request.owner, stage);
  const draft = draftKey(owner, { label, expiresAt, isReadOnly }, stage);
  const remedy = `nobody has its API key: run "./admin keys revoke ${draft.issued.keyId}", then this command again`;
  await grantKey(draft, () => addEntry(owner, draft, stage), remedy, stage);
  return draft.issued;
}

/** @throws WrongStateError if the owner has the maximum number of keys, or was changed meanwhile */
async function addEntry(
  { details, item }: CompleteOwner,
  { tokenHash, entry }: DraftKey,
  stage: KeyStage,
): Promise<void> {
  const path = `keys.${tokenHash}`;
  const where = { ownerHash: present, [path]: absent, keys: size('<', maxKeys) };
  if (await changeItem(details, { set: { [path]: entry }, where }, stage)) return;
  const name = quoted(details.name);
  if (Object.keys(item.keys).length < maxKeys) throw new ChangedMeanwhileError(`The owner ${name}`);
  throw new WrongStateError(`The owner ${name} has ${maxKeys} keys, which is the maximum`, {
    remedy:
      'run "./admin keys revoke" for unneeded keys, or "./admin keys purge --older-than 0s" for expired ones',
  });
}

/** Generates a key of an owner without storing it. */
export function draftKey(
  owner: CompleteOwner,
  { label, expiresAt, isReadOnly = false }: KeyTraits,
  stage: KeyStage,
) {
  const { ownerId, name, seed } = owner.details;
  const { plan, perMinute, perDay, status } = owner.item;
  const keyId = createKeyId(ownerId);
  const apiKey = createToken(stage.tokenPrefix, seed);
  const tokenHash = hashToken(apiKey);
  const createdAt = new Date(stage.now()).toISOString();
  const lastFour = apiKey.slice(-shownCharacters);
  const issued = {
    keyId,
    /** The bearer token, which is shown once and never stored. */
    apiKey,
    plan,
    owner: name,
    ownerId,
    perMinute,
    perDay,
    expiresAt,
    isReadOnly,
    label,
    /** The status of the owner. If it is `suspended`, the key works when the owner is resumed. */
    status,
  };
  const details: KeyDetails = { label, lastFour, createdAt, tokenHash };
  const entry: StoredEntry = {
    id: ownCharactersOf(keyId),
    expiresAt,
    // Each request writes the item with all entries, so that of a key with full access lacks the attribute.
    isReadOnly: isReadOnly || undefined,
  };
  return { issued, tokenHash, details, entry };
}

/**
 * Makes a key valid. It writes the key's details first, so every valid key is listed. If the second write
 * is refused, it removes the details again.
 *
 * @param addEntry writes the key's entry to the ApiKeys table, which makes its token valid
 * @param remedy what to do if it is unknown whether the key is valid
 * @throws OperatorError if a write fails
 */
export async function grantKey(
  draft: DraftKey,
  addEntry: () => Promise<void>,
  remedy: string,
  stage: KeyStage,
): Promise<void> {
  const { keyId, ownerId } = draft.issued;
  const setAbsent = { [`keys.${keyId}`]: draft.details };
  const saveDetails = () =>
    changeDetails(ownerId, { setAbsent, where: { ownerId: present } }, stage);
  try {
    await saveDetails();
    await addEntry().catch(async (error) => {
      // If the key is not valid, its details are not needed.
      if (!mayBeDone(error)) await removeDetails(ownerId, keyId, stage);
      throw error;
    });
    // Before the key was valid, a purge may have removed its details as those of an interrupted command.
    await saveDetails();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const problem = `${keyId} may be only partly issued: ${failureText(error)}`;
    throw new OperatorError(problem, { cause: error, remedy });
  }
}

/** Removes a key's details, if they exist. */
export function removeDetails(ownerId: string, keyId: string, stage: KeyStage): Promise<unknown> {
  const remove = [`keys.${keyId}`];
  return changeDetails(ownerId, { remove, where: { ownerId: present } }, stage);
}
