import { type Command, Option } from 'commander';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { DifferentError, NotFoundError, quoted, WrongStateError } from '../../shared/errors.ts';
import { type CommandIo, print, type Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { allOwners } from '../stored/find-owner.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';
import { findGatewayKeys } from './gateway-key.ts';
import { reviewPlans } from './owner-limits.ts';
import { limitsText } from './owner-view.ts';
import { alignGatewayKey, setLimits } from './set-owner-plan.ts';

/** Adds the command `owners apply-plans`. */
export function addApplyPlansCommand(owners: Command, io: CommandIo): void {
  addVerb<{ dryRun?: boolean }>(owners, io, {
    usage: 'apply-plans',
    showCommand: () => 'owners apply-plans --dry-run',
    description: 'give owners the current limits of their plans',
    options: [new Option('--dry-run', 'show the changes without making them'), yesOption, asOption],
    help: applyPlansHelp,
    examples: ['owners apply-plans --stage prod --dry-run'],
    run: applyPlans,
  });
}

const applyPlansHelp = `
It gives every owner the numbers in lib/settings/plans.ts, and an API Gateway key if it has none. Limits that were
agreed with an owner remain, up to those of its plan. Deploy first if a number has increased, otherwise afterwards.
If it leaves out an owner, it says why, and ends with exit code 4.`;

async function applyPlans(call: Call<{ dryRun?: boolean }>): Promise<Result> {
  const { stage, options, io, confirm } = call;
  const { outdated, clear, unclear } = reviewPlans(await allOwners(stage));
  const keyed = new Set((await findGatewayKeys(stage)).values());
  const keyless = clear.filter(({ details }) => !keyed.has(details.ownerId));
  for (const owner of unclear) print(io.stderr, unclearText(owner));
  const changes = outdated.map(({ owner: { details, item }, limits }) => ({
    ownerId: details.ownerId,
    name: details.name,
    plan: item.plan,
    from: { perMinute: item.perMinute, perDay: item.perDay },
    to: limits,
  }));
  const lines = [
    ...changes.map(
      ({ ownerId, name, plan, from, to }) =>
        `${ownerId}  ${name}, ${plan}: ${limitsText(from)} → ${limitsText(to)}`,
    ),
    ...keyless.map(
      ({ details: { ownerId, name }, item }) =>
        `${ownerId}  ${name}, ${item.plan}: no API Gateway key`,
    ),
  ];
  const review = lines.join('\n') || 'Nothing to change.';
  const leftOut = unclear.map(({ details }) => details.ownerId);
  const failure =
    leftOut.length > 0
      ? new DifferentError(`${counted(leftOut.length, 'owner')} left out: ${leftOut.join(', ')}`)
      : undefined;
  const withoutGatewayKey = keyless.map(({ details }) => details.ownerId);
  if (options.dryRun || lines.length === 0) {
    const value = { changes, withoutGatewayKey, leftOut, applied: false };
    return { value, text: review, failure };
  }
  print(io.stderr, review);
  const changed = new Set([...changes.map(({ ownerId }) => ownerId), ...withoutGatewayKey]);
  await confirm(`Change ${counted(changed.size, 'owner')}?`);
  const changedByOthers = new Set<string>();
  const change = (ownerId: string, making: Promise<unknown>) =>
    making.catch((error) => {
      if (!(error instanceof WrongStateError || error instanceof NotFoundError)) throw error;
      changedByOthers.add(ownerId);
    });
  await runRepeatable('The plans may be applied to some owners only', async () => {
    for (const { owner, limits } of outdated) {
      const { ownerId, agreed } = owner.details;
      await change(ownerId, setLimits(owner, agreed, limits, 'owners apply-plans', stage));
    }
    for (const ownerId of withoutGatewayKey) await change(ownerId, alignGatewayKey(ownerId, stage));
  });
  const others = [...changedByOthers];
  const value = {
    changes: changes.filter(({ ownerId }) => !changedByOthers.has(ownerId)),
    withoutGatewayKey: withoutGatewayKey.filter((ownerId) => changedByOthers.has(ownerId)),
    leftOut: [...leftOut, ...others],
    applied: true,
  };
  const made = [...changed].filter((ownerId) => !changedByOthers.has(ownerId));
  const text = `Changed ${counted(made.length, 'owner')}.`;
  if (others.length === 0) return { value, text, failure };
  const problem = `Somebody else has changed ${others.join(', ')} meanwhile`;
  const remedy = 'run the command again';
  return { value, text, failure: new WrongStateError(problem, { remedy }) };
}

function unclearText({ details, item }: StoredOwner): string {
  const { ownerId, agreed } = details;
  if (!item) {
    return `${ownerId} is left out: it is only partly created; "./admin owners create" completes it`;
  }
  const reason = isPlanName(item.plan)
    ? `it is on the ${item.plan} plan, but ${agreed.plan} was agreed`
    : `its plan ${quoted(item.plan)} no longer exists`;
  return `${ownerId} is left out: ${reason}; "./admin owners set-plan" moves it`;
}
