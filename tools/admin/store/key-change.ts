import { type Condition, present, size, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { TooManyKeysError } from './errors.ts';
import type { Deed } from './history.ts';
import { isExpired, keysOf, type StoredKey } from './keys.ts';
import { changeTables } from './owner-change.ts';
import type { CompleteOwner, KeyDetails, StoredEntry } from './stored-owner.ts';

/**
 * The maximum number of an owner's keys. Every request writes the owner's item with all of these keys, which costs one
 * write unit for each kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** The number of days for which a key is listed after its end. */
const listedDays = 90;

/** The number of keys that one change can remove, because DynamoDB limits the length of an expression. */
const mostLeaving = 50;

/** A change of an owner's keys: a new key, new values of a valid key's entry, the end of a key, or several of these. */
export interface KeysChange {
  readonly deed: Deed;
  readonly added?: StoredKey;
  /** Undefined removes a value. */
  readonly changed?: { readonly key: StoredKey; readonly values: Partial<StoredEntry> };
  readonly revoked?: StoredKey;
  /** The condition on the owner's item. */
  readonly where?: Condition;
  /** The condition on the owner's details. */
  readonly whereDetails?: Condition;
}

/**
 * Changes an owner's keys, and removes dead ones. The entries of revoked and of expired keys leave the owner's item,
 * because every request writes this item. The details of keys that ended 90 days ago are forgotten.
 *
 * @throws TooManyKeysError if the owner would have too many keys
 * @throws ChangedMeanwhileError if another command has changed the keys
 */
export async function changeKeys(
  owner: CompleteOwner,
  { deed, added, changed, revoked, where, whereDetails }: KeysChange,
  stage: KeyStage,
): Promise<void> {
  const nowMs = stage.now();
  const keys = keysOf(owner);
  const expired = keys
    .filter(({ keyId, entry }) => entry && isExpired(entry, nowMs) && keyId !== revoked?.keyId)
    .slice(0, mostLeaving);
  const leaving = revoked ? [...expired, revoked] : expired;
  const left = Object.keys(owner.item.keys).length - leaving.length;
  if (added && left >= maxKeys) throw new TooManyKeysError(owner.details, left);
  const forgotten = keys
    .filter(({ entry, details }) => !entry && endMs(details!) < nowMs - listedDays * 86_400_000)
    .slice(0, mostLeaving);
  const used = changed?.key ?? revoked;
  const details = {
    ...(added && { [pathOfDetails(added)]: added.details }),
    ...Object.assign({}, ...leaving.map((key) => lastDetails(key, revoked, nowMs))),
    ...Object.fromEntries(forgotten.map((key) => [pathOfDetails(key), undefined])),
  };
  const item = {
    set: {
      ...(added && { [pathOf(added)]: added.entry }),
      ...(changed && under(pathOf(changed.key), changed.values)),
      ...Object.fromEntries(leaving.map((key) => [pathOf(key), undefined])),
    },
    where: {
      ...where,
      ...(used && { [pathOf(used)]: present }),
      ...(added && { ownerHash: present, keys: size('<', maxKeys + leaving.length) }),
      ...Object.fromEntries(
        expired.map((key) => [`${pathOf(key)}.expiresAt`, unchanged(key.entry!.expiresAt)]),
      ),
    },
  };
  const writes = {
    item,
    details:
      Object.keys(details).length > 0
        ? { set: details, where: { ownerId: present, ...whereDetails } }
        : undefined,
  };
  await changeTables(owner.details, deed, writes, stage, used?.keyId);
}

/** The path of a key's entry in its owner's item. */
export function pathOf({ tokenHash }: StoredKey): string {
  return `keys.${tokenHash}`;
}

function pathOfDetails({ keyId }: StoredKey): string {
  return `keys.${keyId}`;
}

/**
 * The values that are copied into a key's details when its entry leaves the item; undefined if the key has no details.
 */
function lastDetails(key: StoredKey, revoked: StoredKey | undefined, nowMs: number) {
  const { expiresAt, usedAt } = key.entry!;
  const end = key === revoked ? { revokedAt: new Date(nowMs).toISOString() } : { expiresAt };
  return key.details && under(pathOfDetails(key), { ...end, usedAt });
}

/** The end of a key whose entry has left the owner's item, in milliseconds since the epoch. */
function endMs({ revokedAt, expiresAt = Infinity }: KeyDetails): number {
  return revokedAt ? Date.parse(revokedAt) : expiresAt * 1_000;
}

/** Prefixes the names of values with a path. */
function under(path: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, each]) => [`${path}.${name}`, each]),
  );
}
