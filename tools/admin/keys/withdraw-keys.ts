import { InterruptedError } from '../../shared/errors.ts';
import { removeItem } from '../owners/delete-owner.ts';
import { allOwners, scan } from '../owners/find-owner.ts';
import { findGatewayKeys } from '../owners/gateway-key.ts';
import type { StoredOwner } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { keysOf } from './find-key.ts';
import { recordRevocation } from './revoke-key.ts';

/** What to withdraw so that no key of a stage remains. */
type StageKeys = Awaited<ReturnType<typeof findStageKeys>>;

/** Finds what earlier runs have not withdrawn yet. */
export async function findStageKeys(store: KeyStore) {
  const owners = (await allOwners(store)).filter(
    ({ details, item }) => item || Object.values(details.keys).some(({ revokedAt }) => !revokedAt),
  );
  return {
    owners,
    validKeys: owners.flatMap(keysOf).filter(({ entry }) => entry),
    /** The ids of API Gateway's keys. */
    gatewayKeys: [...(await findGatewayKeys(store)).keys()],
  };
}

/**
 * Withdraws every key of a stage: first the authorizer's items, after which no key is valid, and then the
 * keys in API Gateway, which CloudFormation would not delete. The records in the Owners table remain.
 *
 * An owner that is created meanwhile may get its item after the other items were removed, and then lose its
 * key in API Gateway. Its item is removed at the end.
 *
 * @param onStep is called with the number of finished owners and gateway keys
 * @param signal interrupts the withdrawal after the current step
 * @throws OperatorError if it is interrupted or fails; running it again completes it
 */
export async function withdrawStageKeys(
  { owners, gatewayKeys }: StageKeys,
  store: KeyStore,
  onStep: (done: number) => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const steps = [
    ...owners.map((owner) => () => withdrawOwner(owner, store)),
    ...gatewayKeys.map((apiKey) => () => store.gateway.deleteApiKey({ apiKey })),
  ];
  await runRepeatable('Some keys may be withdrawn and others not', async () => {
    for (const [done, step] of steps.entries()) {
      if (signal?.aborted) {
        const state = `Interrupted after ${done} of ${steps.length} owners and gateway keys`;
        throw new InterruptedError(state, { remedy: 'run the command again to complete it' });
      }
      await step();
      onStep(done + 1);
    }
    for (const { ownerHash } of await scan<{ ownerHash: string }>(store, store.apiKeysTable)) {
      await removeItem(ownerHash, store);
    }
  });
}

async function withdrawOwner(owner: StoredOwner, store: KeyStore): Promise<void> {
  if (owner.item) await removeItem(owner.details.ownerHash, store);
  for (const key of keysOf(owner)) await recordRevocation(key, store);
}
