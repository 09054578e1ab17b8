import { hashToken } from '../../../lambdas/keys/api-key.ts';
import {
  ChangedMeanwhileError,
  OperatorError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import { checkedText } from '../console/checked-text.ts';
import { isoTime } from '../console/view.ts';
import { present, size } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import { findCompleteOwner } from '../stored/find-owner.ts';
import { differences, type HistoryRecord } from '../stored/history.ts';
import { createKeyId, createToken, ownCharactersOf } from '../stored/identities.ts';
import type { StoredKey } from '../stored/stored-key.ts';
import type { CompleteOwner, KeyDetails, StoredEntry } from '../stored/stored-owner.ts';
import { changeKeys, type KeysUpdate, leavingKeysOf } from './change-keys.ts';
import { type KeyView, keyView } from './key-view.ts';

/** A key to issue. */
export interface NewKey {
  /** The owner's id or name. */
  readonly owner: string;
  readonly label?: string | undefined;
  /** The expiry in Unix seconds. @default - never expires */
  readonly expiresAt?: number | undefined;
  /** Whether the key may list orders and not cancel them. @default false */
  readonly isReadOnly?: boolean | undefined;
}

/** A new key as the commands show it, with its bearer token, which is shown once and never stored. */
export type IssuedKey = KeyView & { readonly apiKey: string };

const maxLabelLength = 100;
const shownCharacters = 4;

/**
 * The maximum number of an owner's keys. Every request writes the item with all of them, which costs a write unit for
 * each kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** Issues a key to an owner. @throws OperatorError if a value is invalid, or there is no such owner */
export async function issueKey(request: NewKey, stage: KeyStage): Promise<IssuedKey> {
  const { expiresAt } = request;
  // A key with full access lacks the attribute, because each request writes all entries.
  const isReadOnly = request.isReadOnly || undefined;
  const label =
    request.label === undefined ? undefined : checkedText('--label', request.label, maxLabelLength);
  const owner = await findCompleteOwner(request.owner, stage);
  const draft = draftKey(owner, { label }, { expiresAt, isReadOnly }, stage);
  const { keyId } = draft;
  const expiry = expiresAt === undefined ? undefined : isoTime(expiresAt);
  const deed = {
    command: 'keys issue',
    keyIds: [keyId],
    changes: differences({}, { label, expiresAt: expiry, isReadOnly }),
  };
  const { expired } = leavingKeysOf(owner, stage.now());
  const update = { where: { ownerHash: present, keys: size('<', maxKeys + expired.length) } };
  const remedy = `nobody has received its API key, so run "./admin keys revoke ${keyId}", then this command again`;
  return storeKey(draft, update, deed, remedy, stage, () => refusal(owner, stage));
}

function refusal(owner: CompleteOwner, stage: KeyStage): WrongStateError {
  return (
    tooManyKeys(owner, 1, stage) ??
    new ChangedMeanwhileError(`The owner ${quoted(owner.details.name)}`)
  );
}

/** Returns an error if an owner would have too many keys after a change; undefined otherwise. */
export function tooManyKeys(
  owner: CompleteOwner,
  added: number,
  stage: KeyStage,
): WrongStateError | undefined {
  const { expired } = leavingKeysOf(owner, stage.now());
  const left = Object.keys(owner.item.keys).length - expired.length;
  if (left + added <= maxKeys) return undefined;
  const problem = `The owner ${quoted(owner.details.name)} has ${left} keys, and ${maxKeys} is the maximum`;
  return new WrongStateError(problem, {
    remedy: `revoke keys that nobody needs: "./admin keys list --owner ${owner.details.ownerId}" shows them`,
  });
}

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

/**
 * Stores a key together with other changes of the owner's two items.
 *
 * @param remedy the remedy of the error if it is unknown whether the key was stored
 */
export async function storeKey(
  draft: ReturnType<typeof draftKey>,
  { set, remove, where }: KeysUpdate,
  deed: Pick<HistoryRecord, 'command' | 'keyIds' | 'changes'>,
  remedy: string,
  stage: KeyStage,
  refusal?: () => Error,
  ofDetails: KeysUpdate = { where: {} },
): Promise<IssuedKey> {
  const { keyId, owner, tokenHash, details, entry, apiKey } = draft;
  // The view is made before the change, because after the change nothing must fail.
  const view = keyView(draft, stage.now(), stage.plans);
  const changes = {
    ofItem: { set: { ...set, [`keys.${tokenHash}`]: entry }, remove: remove ?? [], where },
    ofDetails: { ...ofDetails, set: { ...ofDetails.set, [`keys.${keyId}`]: details } },
  };
  await changeKeys(owner, deed, changes, stage, refusal).catch((error) => {
    if (!mayHaveTakenEffect(error)) throw error;
    const problem = `${keyId} may have been issued: ${failureText(error)}`;
    throw new OperatorError(problem, { cause: error, remedy });
  });
  return { ...view, apiKey };
}
