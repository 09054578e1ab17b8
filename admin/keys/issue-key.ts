import { type PlanName, plans } from '../../lib/settings/plans.ts';
import { isOwnerId } from '../../shared/api-key-token.ts';
import { NotFoundError, quoted, WrongStateError } from '../../shared/errors.ts';
import { createOwner } from '../owners/create-owner.ts';
import { complete, lookUpOwner } from '../owners/find-owner.ts';
import { type OwnerLimits, optionOf } from '../owners/owner-limits.ts';
import type { CompleteOwner, DocumentOfOwner } from '../owners/stored-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { grantKey, removeDetails, saveDetails } from './grant-key.ts';
import { type DraftKey, draftKey, type IssuedKey, type KeyTraits, keyLabel } from './key-draft.ts';

export interface KeyRequest extends KeyTraits, Partial<OwnerLimits> {
  /** The owner's id or name. */
  readonly owner: string;
  /** The owner's plan. If there is no owner of this name, it is created with this plan. */
  readonly plan?: PlanName;
}

/**
 * The maximum number of an owner's keys. Every request writes the item that contains all of them, and
 * costs one write unit per kilobyte: about one for every four keys.
 */
const maxKeys = 100;

/**
 * Issues a key to an owner. If the owner does not exist and a plan is given, the owner is created.
 *
 * @throws OperatorError when the request is invalid, or DynamoDB or API Gateway fails
 */
export async function issueKey(request: KeyRequest, store: KeyStore): Promise<IssuedKey> {
  const label = request.label === undefined ? undefined : keyLabel(request.label);
  const owner = await ownerFor(request, store);
  const draft = draftKey(owner, { ...request, label }, store);
  const { keyId, ownerId } = draft.issued;
  await grantKey(
    draft,
    {
      saveDetails: () => saveDetails(draft, store),
      addEntry: () => addEntry(owner, draft, store),
      removeDetails: () => removeDetails(ownerId, keyId, store),
      explain: (reason) => ({
        problem:
          `No key was issued: ${reason}; what may be left of ${keyId} nobody can use, but it could ` +
          'not be removed',
        remedy: `run "keys revoke ${keyId}", then this command again`,
      }),
    },
    store,
  );
  return draft.issued;
}

async function ownerFor(request: KeyRequest, store: KeyStore): Promise<CompleteOwner> {
  const { owner: idOrName, plan, perMinute, perDay } = request;
  const found = await lookUpOwner(idOrName, store);
  if (found?.item) return requireSamePlan(complete(found), request);
  if (plan === undefined || isOwnerId(idOrName)) {
    if (found) return complete(found);
    throw new NotFoundError(`There is no owner ${quoted(idOrName)}`, {
      remedy: 'create it with "owners create", or name the --plan that it shall be on',
    });
  }
  return complete(await createOwner({ name: idOrName, plan, perMinute, perDay }, store));
}

/** The names of the compared fields in messages. */
const nameOf = { plan: 'plan', ...optionOf };

/** @throws WrongStateError when the owner is suspended, or has another plan or other limits */
function requireSamePlan(owner: CompleteOwner, request: KeyRequest): CompleteOwner {
  const { name, ownerId } = owner.details;
  const { item } = owner;
  const others = (['plan', 'perMinute', 'perDay'] as const).filter(
    (field) => request[field] !== undefined && request[field] !== item[field],
  );
  if (!item.isActive) throw suspended(owner);
  if (others.length === 0) return owner;
  const what = others.map((field) => `${nameOf[field]} ${item[field]} and not ${request[field]}`);
  const limits = plans[request.plan ?? item.plan]?.limitsPerOwner
    ? ' --per-minute N --per-day N'
    : '';
  throw new WrongStateError(
    `The owner ${quoted(name)} has ${what.join(', ')}, which all of its keys share`,
    {
      remedy: `change that with "owners set-plan ${ownerId} ${request.plan ?? item.plan}${limits}", or leave it out here`,
    },
  );
}

/** @throws WrongStateError when the owner has the maximum number of keys, or was changed meanwhile */
async function addEntry(
  { details: { ownerHash, name }, item }: CompleteOwner,
  { tokenHash, entry }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const entered = await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      update: 'SET #keys.#key = :entry',
      condition:
        'attribute_exists(ownerHash) AND attribute_not_exists(#keys.#key) AND size(#keys) < :max',
      names: { '#keys': 'keys', '#key': tokenHash },
      values: { ':entry': entry, ':max': maxKeys },
    },
    store,
  );
  if (entered) return;
  if (item.keys.size < maxKeys) {
    throw new WrongStateError(`The owner ${quoted(name)} was changed meanwhile`, {
      remedy: 'run the command again',
    });
  }
  throw new WrongStateError(`The owner ${quoted(name)} has ${maxKeys} keys, which is the most`, {
    remedy: '"keys revoke" those that are not needed, or "keys purge" those that have expired',
  });
}

function suspended({ details: { name } }: CompleteOwner): WrongStateError {
  return new WrongStateError(`The owner ${quoted(name)} is suspended, so that no key of it works`, {
    remedy: '"owners resume" ends that',
  });
}
