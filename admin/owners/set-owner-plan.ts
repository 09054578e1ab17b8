import { type PlanName, plans } from '../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { complete, findCompleteOwner, readOwner } from './find-owner.ts';
import { putGatewayKey } from './gateway-key.ts';
import { orHalfDone } from './half-done.ts';
import { agreedLimits, hasLimits, limitsFor, type OwnerLimits } from './owner-limits.ts';
import type { CompleteOwner, DocumentOfOwner } from './stored-owner.ts';

/** A plan, and where they are not the plan's own, the limits agreed with the owner. */
export interface AskedPlan extends Partial<OwnerLimits> {
  readonly plan: PlanName;
}

/**
 * Moves an owner to another plan: limits in DynamoDB, usage plan in API Gateway. What its keys have
 * used of the present minute and day stays counted.
 *
 * The usage plan stands behind the exact limits and must never be the tighter of the two: for a
 * larger plan API Gateway goes first, for a smaller one DynamoDB. Stopped half-way, the limits are
 * those of the smaller plan; running it again completes the move.
 *
 * @throws OperatorError when the limits are not the plan's, or one of the two services fails
 */
export async function setOwnerPlan(
  idOrName: string,
  asked: AskedPlan,
  store: KeyStore,
): Promise<CompleteOwner> {
  const limits = limitsFor(asked.plan, asked);
  const owner = await findCompleteOwner(idOrName, store);
  const { ownerId } = owner.details;
  const inGateway = () => putGatewayKey(ownerId, asked.plan, store);
  const inDynamoDb = () => setLimits(owner, asked.plan, limits, store);
  const isLarger = plans[asked.plan].perMinute >= plans[owner.item.plan].perMinute;
  return orHalfDone(`The plan of ${ownerId} may be changed in part only`, async () => {
    await noteAgreement(ownerId, asked, store);
    for (const step of isLarger ? [inGateway, inDynamoDb] : [inDynamoDb, inGateway]) await step();
    return complete((await readOwner(ownerId, store))!);
  });
}

/**
 * Gives an owner another plan or other limits, if it still has those that were read.
 *
 * @throws WrongStateError when somebody else has changed them meanwhile
 */
export async function setLimits(
  { details: { ownerId, ownerHash }, item }: CompleteOwner,
  plan: PlanName,
  limits: OwnerLimits,
  store: KeyStore,
): Promise<void> {
  const changed = await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      update: 'SET #plan = :plan, perMinute = :perMinute, perDay = :perDay',
      condition: '#plan = :oldPlan AND perMinute = :oldPerMinute AND perDay = :oldPerDay',
      names: { '#plan': 'plan' },
      values: {
        ':plan': plan,
        ':perMinute': limits.perMinute,
        ':perDay': limits.perDay,
        ':oldPlan': item.plan,
        ':oldPerMinute': item.perMinute,
        ':oldPerDay': item.perDay,
      },
    },
    store,
  );
  if (changed) return;
  const present = complete((await readOwner(ownerId, store))!);
  // The answer to a write that was carried out may have been lost, and the write repeated.
  if (hasLimits(present.item, plan, limits)) return;
  // Our part in API Gateway may be done by now: it has to be that of the plan which holds.
  await putGatewayKey(ownerId, present.item.plan, store);
  throw new WrongStateError(
    `The plan of ${ownerId} was changed by somebody else meanwhile, to ${present.item.plan}`,
    { remedy: 'run the command again where that is not what you want' },
  );
}

async function noteAgreement(ownerId: string, asked: AskedPlan, store: KeyStore): Promise<void> {
  const set = {
    table: store.ownersTable,
    key: { ownerId },
    update: 'SET agreed = :agreed',
    condition: 'attribute_exists(ownerId)',
    values: { ':agreed': agreedLimits(asked.plan, asked) },
  };
  await change(set, store);
}
