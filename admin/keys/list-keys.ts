import type { PlanName } from '../../lib/settings/plans.ts';
import { allOwners, findOwner } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf } from './find-key.ts';
import { type KeyStatus, type KeySummary, summarizeKey } from './key-description.ts';

/** Which keys to list: all that are absent let every key through. */
export interface KeyFilter {
  /** Id or name. */
  readonly owner?: string;
  readonly plan?: PlanName;
  readonly status?: KeyStatus;
}

/** The keys of the stage, or those asked for, the newest first. @throws OperatorError */
export async function listKeys(filter: KeyFilter, store: KeyStore): Promise<KeySummary[]> {
  const owners =
    filter.owner === undefined ? await allOwners(store) : [await findOwner(filter.owner, store)];
  return owners
    .flatMap(keysOf)
    .map((key) => summarizeKey(key, store.now()))
    .filter(({ plan }) => filter.plan === undefined || plan === filter.plan)
    .filter(({ status }) => filter.status === undefined || status === filter.status)
    .sort((one, other) => ((one.createdAt ?? '') < (other.createdAt ?? '') ? 1 : -1));
}
