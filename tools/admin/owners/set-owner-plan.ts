import { isDeepStrictEqual } from 'node:util';
import { isPlanName, type PlanName, plans } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { change, settingAll } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { withHalfDoneError } from '../stage/service-failure.ts';
import { complete, findCompleteOwner, readOwner } from './find-owner.ts';
import { putGatewayKey } from './gateway-key.ts';
import { agreedLimits, hasLimits, limitsFor, type OwnerLimits } from './owner-limits.ts';
import type { AgreedLimits, CompleteOwner, DocumentOfOwner } from './stored-owner.ts';

/** The requested plan, with limits for the owner that differ from the plan's. */
interface RequestedPlan extends Partial<OwnerLimits> {
  readonly plan: PlanName;
}

/**
 * Moves an owner to another plan: it changes the limits in DynamoDB and the usage plan in API Gateway.
 * The requests that are counted in the current minute and day stay counted.
 *
 * The usage plan is a backstop for the exact limits and must never be tighter than they are. For a
 * larger plan, API Gateway is therefore changed first, and for a smaller one DynamoDB. If the move is
 * interrupted, the limits of the smaller plan apply; running it again completes it.
 *
 * @throws OperatorError when the plan does not allow the limits, or DynamoDB or API Gateway fails
 */
export async function setOwnerPlan(
  idOrName: string,
  asked: RequestedPlan,
  store: KeyStore,
): Promise<CompleteOwner> {
  const limits = limitsFor(asked.plan, asked);
  const owner = await findCompleteOwner(idOrName, store);
  const { ownerId } = owner.details;
  const agreed = agreedLimits(asked.plan, asked);
  const inGateway = () => putGatewayKey(ownerId, asked.plan, store);
  const inDynamoDb = () => setLimits(owner, asked.plan, limits, store);
  const { plan, perMinute } = owner.item;
  const isLarger =
    plans[asked.plan].perMinute >= (isPlanName(plan) ? plans[plan].perMinute : perMinute);
  return withHalfDoneError(`The plan of ${ownerId} may be changed in part only`, async () => {
    const before = owner.details.agreed;
    if (!(await replaceAgreed(ownerId, before, agreed, store))) {
      throw changedMeanwhile(complete((await readOwner(ownerId, store))!));
    }
    try {
      for (const step of isLarger ? [inGateway, inDynamoDb] : [inDynamoDb, inGateway]) await step();
      return await settle(ownerId, { ...limits, plan: asked.plan }, agreed, store);
    } catch (error) {
      // The other move's limits apply, and what was agreed before is what it has agreed.
      if (error instanceof WrongStateError) await replaceAgreed(ownerId, agreed, before, store);
      throw error;
    }
  });
}

/**
 * Brings the usage plan and the agreed limits into line with the limits in DynamoDB, which decide.
 * Another move at the same time may have written each of them before or after this one.
 *
 * @throws WrongStateError when the limits are another move's by now
 */
async function settle(
  ownerId: string,
  { plan, ...limits }: OwnerLimits & { plan: PlanName },
  agreed: AgreedLimits,
  store: KeyStore,
): Promise<CompleteOwner> {
  const present = await putPresentGatewayKey(ownerId, store);
  if (!hasLimits(present.item, plan, limits)) throw changedMeanwhile(present);
  if (isDeepStrictEqual(present.details.agreed, agreed)) return present;
  await replaceAgreed(ownerId, present.details.agreed, agreed, store);
  return complete((await readOwner(ownerId, store))!);
}

/**
 * Puts an owner's gateway key into the usage plan of its limits, until these stay the same meanwhile.
 *
 * @throws WrongStateError when the owner is not complete, or no longer
 */
export async function putPresentGatewayKey(
  ownerId: string,
  store: KeyStore,
): Promise<CompleteOwner> {
  let owner = complete((await readOwner(ownerId, store))!);
  for (;;) {
    const { plan } = owner.item;
    await putGatewayKey(ownerId, plan, store);
    owner = complete((await readOwner(ownerId, store))!);
    if (owner.item.plan === plan) return owner;
  }
}

/** Replaces the agreed limits. Returns false if they are neither the expected ones nor the new ones. */
async function replaceAgreed(
  ownerId: string,
  before: AgreedLimits,
  after: AgreedLimits,
  store: KeyStore,
): Promise<boolean> {
  const replaced = await change(
    {
      table: store.ownersTable,
      key: { ownerId },
      update: 'SET agreed = :after',
      condition: 'agreed = :before OR agreed = :after',
      values: { ':before': before, ':after': after },
    },
    store,
  );
  return replaced !== undefined;
}

/**
 * Sets the plan and the limits of an owner, if it still has those that were read.
 *
 * @throws WrongStateError when they were changed meanwhile
 */
export async function setLimits(
  { details: { ownerId, ownerHash }, item }: CompleteOwner,
  plan: PlanName,
  limits: OwnerLimits,
  store: KeyStore,
): Promise<void> {
  const { values, ...update } = settingAll({ plan, ...limits });
  const changed = await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      ...update,
      condition: '#plan = :oldPlan AND #perMinute = :oldPerMinute AND #perDay = :oldPerDay',
      values: {
        ...values,
        ':oldPlan': item.plan,
        ':oldPerMinute': item.perMinute,
        ':oldPerDay': item.perDay,
      },
    },
    store,
  );
  if (changed) return;
  const present = complete((await readOwner(ownerId, store))!);
  // The write may have succeeded while its response was lost; the SDK then repeats it in vain.
  if (hasLimits(present.item, plan, limits)) return;
  // The usage plan may have been changed already, so it is set to that of the plan that applies.
  throw changedMeanwhile(await putPresentGatewayKey(ownerId, store));
}

function changedMeanwhile({ details: { ownerId }, item }: CompleteOwner): WrongStateError {
  return new WrongStateError(
    `The plan of ${ownerId} was changed by somebody else meanwhile, to ${item.plan}`,
    { remedy: 'run the command again where that is not what you want' },
  );
}
