import { InterruptedError } from '../../shared/errors.ts';
import { removeItem } from '../owners/delete-owner.ts';
import { allOwners, scan } from '../owners/find-owner.ts';
import { findGatewayKeys } from '../owners/gateway-key.ts';
import type { StoredOwner } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { withHalfDoneError } from '../stage/service-failure.ts';
import { keysOf } from './find-key.ts';
import { recordRevocation } from './revoke-key.ts';

/** Everything that has to be withdrawn so that no key of a stage is valid. */
type StageKeys = Awaited<ReturnType<typeof findStageKeys>>;

/** Finds what is to be withdrawn before a stage is destroyed, and an earlier run has not withdrawn. */
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
 * Withdraws every key of a stage: first the authorizer's items, after which no key is valid, and then
 * the keys in API Gateway, which CloudFormation would not delete. The Owners table keeps a record of
 * the keys. If it is interrupted, running it again completes it.
 *
 * An owner that is created meanwhile may have been given its item after the others were removed, and
 * have lost its key in API Gateway since. Its item is removed at the end.
 *
 * @param onStep is called with the number of owners and gateway keys that are done
 * @param signal interrupts the withdrawal after the step under way
 * @throws OperatorError when it is interrupted, or DynamoDB or API Gateway fails
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
  await withHalfDoneError('Some keys may be withdrawn and others not', async () => {
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
