import { Argument, type Command, Option } from 'commander';
import type { Limits } from '../../../lambdas/keys/plan.ts';
import { type PlanName, planNames, quotaInDays } from '../../../lib/settings/plans.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { wholeNumber, wholeNumberUpTo } from '../console/option-values.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, recordText, tableText } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { allOwners, findCompleteOwner, findOwner, lookUpOwner } from '../stored/find-owner.ts';
import { readHistory } from '../stored/history.ts';
import { isOwnerId } from '../stored/identities.ts';
import type { CompleteOwner, StoredOwner } from '../stored/stored-owner.ts';
import { deleteOwner, renameOwner, resetUsage, setOwnerStatus } from './change-owner.ts';
import { createOwner } from './create-owner.ts';
import { historyText } from './history-view.ts';
import type { PlanRequest } from './owner-limits.ts';
import { dayFields, lastDays, meteredDays, meteredFields, ownersUsage } from './owner-usage.ts';
import { ownerFields, ownerView } from './owner-view.ts';
import { repairOwners } from './repair-owners.ts';
import { setOwnerPlan } from './set-owner-plan.ts';

/** Adds the commands `owners …`. */
export function addOwnersCommands(program: Command, io: CommandIo): void {
  const owners = program
    .command('owners')
    .description('create, show and change owners: their plans, limits and usage');
  addVerb<PlanRequest>(owners, io, {
    usage: 'create <name>',
    description: 'create an owner; all keys of an owner share its limits',
    options: [
      new Option('--plan <plan>', 'the plan of the owner').choices(planNames).makeOptionMandatory(),
      ...limitOptions,
      asOption,
    ],
    examples: ['owners create "Acme Ltd" --stage staging --plan free'],
    run: async ({ stage, options: { plan, perMinute, perDay } }, name) =>
      changed(stage, () => createOwner({ name, plan, perMinute, perDay }, stage)),
  });
  addVerb(owners, io, {
    usage: 'list',
    description: 'list all owners with their usage, those with the most requests today first',
    run: async ({ stage, columns }) => {
      const { plans } = stage;
      const views = (await allOwners(stage))
        .map((owner) => ownerView(owner, stage.now(), plans))
        .sort((one, other) => (other.usage?.day.used ?? 0) - (one.usage?.day.used ?? 0));
      const none = 'There are no owners; "./admin owners create Acme --plan free" creates one.';
      return { value: views, text: tableText(ownerFields, views, none, columns) };
    },
  });
  addVerb(owners, io, {
    usage: 'show <owner>',
    description: 'show the plan, limits and usage of an owner, by its id or name',
    run: async ({ stage }, idOrName) => {
      const view = ownerView(await findOwner(idOrName, stage), stage.now(), stage.plans);
      return { value: view, text: recordText(ownerFields, view) };
    },
  });
  addVerb(owners, io, {
    usage: 'history <owner>',
    description:
      'show the changes of an owner and its keys, with operator and time, the newest change first',
    help: historyHelp,
    run: async ({ stage, columns }, idOrName) => {
      const ownerId = isOwnerId(idOrName)
        ? idOrName
        : (await findOwner(idOrName, stage)).details.ownerId;
      const history = (await readHistory(ownerId, stage)).reverse();
      if (history.length === 0) await findOwner(ownerId, stage);
      return { value: history, text: historyText(history, columns !== undefined) };
    },
  });
  addVerb<{ days: number }>(owners, io, {
    usage: 'usage [owner]',
    description:
      'show the requests that API Gateway has metered, by owner, or for one owner by day',
    options: [
      new Option('--days <days>', `the number of days, including today, up to ${meteredDays}`)
        .argParser(wholeNumberUpTo(meteredDays))
        .default(30),
    ],
    help: usageHelp,
    examples: ['owners usage --stage prod --days 90', 'owners usage "Acme Ltd" --stage prod'],
    run: async ({ stage, options, columns }, idOrName?: string) => {
      const days = lastDays(options.days, stage.now());
      const used = await ownersUsage(idOrName, days, stage);
      const total = used.reduce((sum, { requests }) => sum + requests, 0);
      const sum = `${counted(total, 'request')} in ${counted(days.length, 'day')}.`;
      const table =
        idOrName === undefined
          ? tableText(meteredFields, used, 'There are no owners.', columns)
          : tableText(dayFields, used[0]!.days);
      return { value: idOrName === undefined ? used : used[0], text: `${table}\n\n${sum}` };
    },
  });
  addVerb<Partial<Limits>>(owners, io, {
    usage: 'set-plan <owner>',
    arguments: [new Argument('<plan>').choices(planNames)],
    description: 'move an owner to another plan, or give it other limits',
    options: [...limitOptions, asOption],
    examples: ['owners set-plan Initech enterprise --stage prod --per-minute 500 --per-day 20000'],
    help: setPlanHelp,
    run: ({ stage, options: { perMinute, perDay } }, owner, plan) =>
      changed(stage, () =>
        setOwnerPlan(owner, { plan: plan as PlanName, perMinute, perDay }, stage),
      ),
  });
  addVerb(owners, io, {
    usage: 'repair',
    description:
      'give every owner the API Gateway key of its plan, and delete such keys of deleted owners',
    help: repairHelp,
    run: repair,
  });
  addVerb(owners, io, {
    usage: 'rename <owner> <name>',
    description: 'give an owner another name',
    options: [asOption],
    run: ({ stage }, owner, name) => changed(stage, () => renameOwner(owner, name, stage)),
  });
  addVerb(owners, io, {
    usage: 'suspend <owner>',
    description: 'reject all further requests of an owner, until "./admin owners resume"',
    options: [yesOption, asOption],
    run: async ({ stage, confirm }, idOrName) => {
      const owner = await findCompleteOwner(idOrName, stage);
      await confirm(suspendQuestion(owner));
      return changed(stage, () => setOwnerStatus(owner.details.ownerId, 'suspended', stage));
    },
  });
  addVerb(owners, io, {
    usage: 'resume <owner>',
    description: 'let the keys of a suspended owner work again',
    options: [asOption],
    run: ({ stage }, owner) => changed(stage, () => setOwnerStatus(owner, 'active', stage)),
  });
  addVerb(owners, io, {
    usage: 'reset-usage <owner>',
    description:
      'set the usage of an owner to 0, for example after a mistake has used up its daily limit',
    options: [asOption],
    run: reset,
  });
  addVerb(owners, io, {
    usage: 'delete <owner>',
    description: 'remove everything that is stored about an owner: its name, keys and usage',
    options: [yesOption, asOption],
    help: deleteHelp,
    run: async ({ stage, confirm }, idOrName) => {
      const owner = await lookUpOwner(idOrName, stage);
      if (owner) await confirm(deleteQuestion(owner));
      const deleted = await deleteOwner(idOrName, stage);
      const { ownerId, name = ownerId } = deleted;
      return { value: { ...deleted, deleted: true }, text: `Deleted ${name} (${ownerId}).` };
    },
  });
}

function deleteQuestion({ details: { name, ownerId }, item }: StoredOwner): string {
  const keys = counted(Object.keys(item?.keys ?? {}).length, 'key');
  return (
    `Delete ${name} (${ownerId}) with everything that is stored about it? Its ${keys} will be refused from the next ` +
    'request on, for good.'
  );
}

const limitOptions = [
  new Option(
    '--per-minute <requests>',
    "the owner's own limit per minute; enterprise needs it, and no other plan allows it",
  ).argParser(wholeNumber),
  new Option(
    '--per-day <requests>',
    "the owner's own limit per day; enterprise needs it, and no other plan allows it",
  ).argParser(wholeNumber),
];

const historyHelp = `
The history has the latest 180 changes. After an owner was deleted, its history has only the deletion. You can
still read this history, by the owner's id.`;

const usageHelp = `
Days are UTC. API Gateway meters only admitted requests, and AWS does not promise an exact number.`;

const deleteHelp = `
Logs and backups still contain the owner for a while (docs/operating.md).`;

const setPlanHelp = `
If the owner is already on the plan enterprise, it keeps a limit that you do not give.`;

const repairHelp = `
Run this command after the tables were restored or moved. If an owner's API Gateway key is missing, the owner's requests
get 503. The command can be run at any time.`;

/** Makes a change, and shows the owner. The plans are read first, because after the change nothing must fail. */
async function changed(
  { now, plans }: KeyStage,
  change: () => Promise<StoredOwner>,
): Promise<Result> {
  const view = ownerView(await change(), now(), plans);
  return { value: view, text: recordText(ownerFields, view) };
}

async function reset({ stage }: Call, idOrName: string): Promise<Result> {
  const { plans } = stage;
  const { resetsToday, ...owner } = await resetUsage(idOrName, stage);
  const view = ownerView(owner, stage.now(), plans);
  const warning =
    resetsToday < quotaInDays
      ? null
      : `The usage was reset ${counted(resetsToday, 'time')} today. Until 00:00 UTC, API Gateway itself rejects all ` +
        `requests above ${quotaInDays} times the daily limit. Only a larger plan admits more.`;
  const text = [recordText(ownerFields, view), warning].filter(Boolean).join('\n\n');
  return { value: { ...view, resetsToday, warning }, text };
}

async function repair({ stage }: Call): Promise<Result> {
  const { repaired, leftOut, deletedKeys } = await repairOwners(stage);
  const failure =
    leftOut.length > 0
      ? new DifferentError(`${counted(leftOut.length, 'owner')} not repaired: ${listOf(leftOut)}`, {
          remedy: `"./admin owners show ${leftOut[0]!.details.ownerId}" says how to repair the first`,
        })
      : undefined;
  const lines = [
    repaired.length > 0
      ? `Repaired ${counted(repaired.length, 'owner')}: ${listOf(repaired)}`
      : 'Every owner already had the API Gateway key of its plan.',
    ...(deletedKeys > 0 ? [`Deleted ${counted(deletedKeys, 'key')} of deleted owners.`] : []),
  ];
  const value = { repaired: idsOf(repaired), leftOut: idsOf(leftOut), deletedKeys };
  return { value, text: lines.join('\n'), failure };
}

const idsOf = (owners: readonly StoredOwner[]) => owners.map(({ details }) => details.ownerId);
const listOf = (owners: readonly StoredOwner[]) => idsOf(owners).join(', ');

function suspendQuestion({ details: { name, ownerId }, item }: CompleteOwner): string {
  const keys = counted(Object.keys(item.keys).length, 'key');
  return (
    `Suspend ${name} (${ownerId})? Its ${keys} will be refused from the next request on, until ` +
    `"./admin owners resume ${ownerId}".`
  );
}
