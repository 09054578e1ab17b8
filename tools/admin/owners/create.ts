import { Option } from 'commander';
import { noUsage } from '../../../lambdas/keys/owner-record.ts';
import { planNames } from '../../../lib/settings/plans.ts';
import { OperatorError } from '../../shared/errors.ts';
import { asOption, type Verb } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { problemOf } from '../stage/service-failure.ts';
import { ensureGatewayKey } from '../store/gateway-keys.ts';
import { createOwnerIdentity } from '../store/identities.ts';
import { saveOwner } from '../store/owner-change.ts';
import { ownerName } from '../store/owners.ts';
import type { OwnerItem, StoredOwner } from '../store/stored-owner.ts';
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
 * Creates an owner, and then its API Gateway key. If the second step fails, `keys issue` makes up for it before the
 * owner's first API key.
 *
 * @throws OperatorError if the name is taken, or the plan does not allow the limits
 */
export async function createOwner(request: NewOwner, stage: KeyStage): Promise<StoredOwner> {
  const name = ownerName(request.name);
  const plan = requestedPlan(request, stage.plans);
  const createdAt = new Date(stage.now()).toISOString();
  const details = { ...createOwnerIdentity(stage.tokenPrefix), name, createdAt, keys: {} };
  const { ownerId } = details;
  const item: OwnerItem = { ownerId, ...plan, status: 'active', ...noUsage, keys: {} };
  await saveOwner(undefined, { details, item }, { command: 'owners create' }, stage);
  await ensureGatewayKey(ownerId, request.plan, stage).catch((cause) => {
    const problem = `the owner ${name} (${ownerId}) is created, but not its API Gateway key: ${problemOf(cause)}`;
    const remedy = `run "./admin keys issue --owner ${ownerId}", which creates both this key and the first API key`;
    throw new OperatorError(problem, { cause, remedy });
  });
  return { details, item };
}
