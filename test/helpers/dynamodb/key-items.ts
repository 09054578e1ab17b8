import type { Item } from '../../../lambdas/contract/item.ts';
import { hashOwnerPart, hashToken, tokenChecksum } from '../../../lambdas/keys/api-key.ts';
import { keyIdOf, noUsage } from '../../../lambdas/keys/owner-record.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { attributes, type Value } from './attribute-values.ts';

const ownerCharacters = 'abcdefghijABCDEFGHIJ';
const ownCharacters = '0123456789abcdefghij';

/** The prefix of staging's keys, which the tests of functions and commands use. */
export const keyPrefix = stageSettings('staging').apiKeyPrefix;
/** The prefix of the keys of another stage. */
export const otherKeyPrefix = stageSettings('prod').apiKeyPrefix;

/**
 * A well-formed token of a stage. It is the same at every call.
 *
 * @param own the 20 characters that distinguish the owner's keys
 */
export function exampleToken(prefix = keyPrefix, own = ownCharacters): string {
  const body = prefix + ownerCharacters + own;
  return body + tokenChecksum(body);
}

export const ownerHash = hashOwnerPart(exampleToken());
const tokenHash = hashToken(exampleToken());
export const address = { ownerHash, tokenHash };
export const ownerId = 'own_0123456789abcdefghij';
export const keyId = keyIdOf(ownerId, 'klmnopqrstuv');

export type Overrides = Record<string, Value>;
/** Overrides of single keys' entries, by the hash of their token. */
export type KeyOverrides = Record<string, Overrides>;

const entryAttributes = new Set([
  'id',
  'expiresAt',
  'bannedUntil',
  'rejectionWindow',
  'rejectionCount',
  'usedAt',
]);

/**
 * The new item of an owner with the Free plan. An undefined override removes an attribute.
 *
 * @param overrides attributes of the owner, and attributes of the entries of all its keys
 * @param keys the owner's keys, by default the example key alone. The attributes of these keys take precedence over
 * `overrides`
 */
export function ownerItem(
  overrides: Overrides = {},
  keys: KeyOverrides = { [tokenHash]: {} },
): Item {
  const isOfEntry = ([name]: [string, Value]) => entryAttributes.has(name);
  const given = Object.entries(overrides);
  const common = Object.fromEntries(given.filter(isOfEntry));
  const entries = Object.entries(keys).map(([hash, own], index) => [
    hash,
    { id: `klmnopqrstu${'vwxyzabcdefghij'[index]}`, ...common, ...own },
  ]);
  return attributes({
    ownerHash,
    ownerId,
    plan: 'free',
    status: 'active',
    ...noUsage,
    ...Object.fromEntries(given.filter((each) => !isOfEntry(each))),
    keys: Object.fromEntries(entries),
  });
}

/** The example key's entry in an item. */
export function entryOf(item: Item, hash = tokenHash): Item {
  return item.keys!.M![hash]!.M!;
}
