import type { PlanName } from '../../../lib/settings/plans.ts';
import { allOwners, findOwner } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf } from './find-key.ts';
import { type KeyStatus, type KeyView, keyView } from './key-view.ts';

/** The keys to list. A field that is absent does not filter. */
interface KeyFilter {
  /** The owner's id or name. */
  readonly owner?: string;
  readonly plan?: PlanName;
  readonly status?: KeyStatus;
}

/** Lists keys, the newest first. @throws OperatorError when the owner does not exist */
export async function listKeys(filter: KeyFilter, store: KeyStore): Promise<KeyView[]> {
  const owners =
    filter.owner === undefined ? await allOwners(store) : [await findOwner(filter.owner, store)];
  return owners
    .flatMap(keysOf)
    .map((key) => keyView(key, store.now()))
    .filter(({ plan }) => filter.plan === undefined || plan === filter.plan)
    .filter(({ status }) => filter.status === undefined || status === filter.status)
    .sort((one, other) => ((one.createdAt ?? '') < (other.createdAt ?? '') ? 1 : -1));
}
