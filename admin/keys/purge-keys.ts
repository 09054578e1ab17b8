import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { allOwners, findOwner, scan } from '../owners/find-owner.ts';
import { findGatewayKeys } from '../owners/gateway-key.ts';
import { orHalfDone } from '../owners/half-done.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf, type StoredKey } from './find-key.ts';
import { forgetDetails } from './grant-key.ts';
import { summarizeKey } from './key-description.ts';
import { noteRevocation, removeEntry } from './revoke-key.ts';

/** Which keys to purge: those of one owner or of all, that ended so long ago. */
export interface PurgeFilter {
  /** Id or name. */
  readonly owner?: string;
  readonly olderThanSeconds: number;
}

/** Everything that lets a client in. */
export interface StageKeys {
  readonly valid: StoredKey[];
  /** Not valid, and not written down as revoked: an earlier run was interrupted. */
  readonly unfinished: StoredKey[];
  /** API Gateway's ids. */
  readonly gatewayKeys: string[];
}

/** The keys that were revoked, have expired or were left unfinished so long ago. */
export async function findPurgeable(
  { owner, olderThanSeconds }: PurgeFilter,
  store: KeyStore,
): Promise<StoredKey[]> {
  const owners = owner === undefined ? await allOwners(store) : [await findOwner(owner, store)];
  const latestEnd = store.now() - olderThanSeconds * 1_000;
  return owners.flatMap(keysOf).filter((key) => {
    const end = endOf(key, store.now());
    return end !== undefined && end <= latestEnd;
  });
}

/**
 * Removes all that is stored of keys which are not valid any more. Stopped in between, running it
 * again finds those that are left.
 *
 * @throws OperatorError when DynamoDB fails
 */
export async function purgeKeys(keys: readonly StoredKey[], store: KeyStore): Promise<void> {
  await orHalfDone('Some keys may be purged and others not', async () => {
    for (const key of keys) {
      if (key.entry) await removeEntry(key, store);
      await forgetDetails(key.owner.details.ownerId, key.keyId, store);
    }
  });
}

/** What there is to withdraw before a stage is destroyed. */
export async function findStageKeys(store: KeyStore): Promise<StageKeys> {
  const keys = (await allOwners(store)).flatMap(keysOf);
  return {
    valid: keys.filter(({ entry }) => entry),
    unfinished: keys.filter(({ entry, details }) => !entry && !details?.revokedAt),
    gatewayKeys: await findGatewayKeys(store),
  };
}

/**
 * Withdraws every key of a stage: first the items that the authorizer knows keys by, then their
 * counterparts in API Gateway, which CloudFormation would leave behind. Who had which key stays
 * written in the Owners table. Stopped in between, running it again completes it.
 *
 * @throws OperatorError when one of the two services fails
 */
export async function withdrawStageKeys(
  { valid, unfinished, gatewayKeys }: StageKeys,
  store: KeyStore,
): Promise<void> {
  await orHalfDone('Some keys may be withdrawn and others not', async () => {
    for (const { ownerHash } of await scan<{ ownerHash: string }>(store, store.apiKeysTable)) {
      const command = new DeleteCommand({ TableName: store.apiKeysTable, Key: { ownerHash } });
      await store.documents.send(command);
    }
    for (const key of [...valid, ...unfinished]) await noteRevocation(key, key.entry, store);
    for (const apiKey of gatewayKeys) await store.gateway.deleteApiKey({ apiKey });
  });
}

/** When a key ceased to be valid, in milliseconds; undefined for one that is. */
function endOf(key: StoredKey, nowMs: number): number | undefined {
  const { details, entry } = key;
  switch (summarizeKey(key, nowMs).status) {
    case 'revoked':
      return Date.parse(details!.revokedAt!);
    case 'unfinished':
      return Date.parse(details!.createdAt);
    case 'expired':
      return entry!.expiresAt! * 1_000;
    default:
      return undefined;
  }
}
