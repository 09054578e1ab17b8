import { Option } from 'commander';
import { noUsage } from '../../../lambdas/keys/owner-record.ts';
import { planNames } from '../../../lib/settings/plans.ts';
import { ChangedMeanwhileError, quoted } from '../../shared/errors.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { absent, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { nameTaken } from '../store/errors.ts';
import { ensureGatewayKey } from '../store/gateway-keys.ts';
import { differences } from '../store/history.ts';
import { createOwnerIdentity } from '../store/identities.ts';
import { changeTables, storeDetails } from '../store/owner-change.ts';
import { lookUpOwner, ownerName } from '../store/owners.ts';
import type { CompleteOwner, OwnerDetails, OwnerItem } from '../store/stored-owner.ts';
import { ownerResult } from './owner-view.ts';
import { limitOptions, type PlanRequest, requestedPlan } from './plan-request.ts';

export const create: Verb<PlanRequest> = {
  usage: 'create <name>',
  description: 'create an owner; all keys of an owner share its limits',
  options: [
    new Option('--plan <plan>', 'the plan of the owner').choices(planNames).makeOptionMandatory(),
    ...limitOptions,
    asOption,
  ],
  examples: ['owners create "Acme Ltd" --stage staging --plan free'],
  run: async ({ stage, options: { plan, perMinute, perDay } }, name) =>
    ownerResult(await createOwner({ name: name!, plan, perMinute, perDay }, stage), stage),
};

/** An owner to create. */
export type NewOwner = PlanRequest & { readonly name: string };

/**
 * Creates an owner in steps that can be repeated. The last step writes the item, without which no key is valid.
 *
 * @throws OperatorError if the name is taken, or the plan does not allow the limits
 */
export async function createOwner(request: NewOwner, stage: KeyStage): Promise<CompleteOwner> {
  const name = ownerName(request.name);
  const plan = requestedPlan(request, stage.plans);
  const details = await provideDetails(name, stage);
  const { ownerId } = details;
  await ensureGatewayKey(ownerId, request.plan, stage);
  const item: OwnerItem = { ownerId, ...plan, status: 'active', ...noUsage, keys: {} };
  const deed = { command: 'owners create', changes: differences({}, { name, ...plan }) };
  const writes = {
    item: { set: { ...item }, where: { ownerHash: absent } },
    // A deletion may have removed the details and the name after this command has written them. Then nobody could find
    // the owner, so this update requires the details. It sets a value that is already stored, because the operators'
    // policy does not allow a mere check of a condition in this table.
    details: { set: { createdAt: details.createdAt }, where: { ownerId: present } },
  };
  await changeTables(details, deed, writes, stage);
  return { details, item };
}

/** Reserves the name and writes the details, or returns the details that an interrupted creation has written. */
async function provideDetails(name: string, stage: KeyStage): Promise<OwnerDetails> {
  const createdAt = new Date(stage.now()).toISOString();
  const details = { ...createOwnerIdentity(stage.tokenPrefix), name, createdAt, keys: {} };
  if (await storeDetails(details, stage)) return details;
  const owner = await lookUpOwner(name, stage);
  if (!owner) throw new ChangedMeanwhileError(`The owner ${quoted(name)}`);
  if (owner.item) throw nameTaken(owner);
  return owner.details;
}
