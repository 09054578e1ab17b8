import { Argument, type Command, Option } from 'commander';
import { isPlanName, type PlanName, planNames } from '../../../lib/settings/plans.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { wholeNumber, wholeNumberUpTo } from '../console/option-values.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, recordText, tableText } from '../console/view.ts';
import { labelOf } from '../stage/target.ts';
import { allOwners, findCompleteOwner, findOwner } from '../stored/find-owner.ts';
import { readHistory } from '../stored/history.ts';
import { isOwnerId } from '../stored/identities.ts';
import type { AgreedLimits, CompleteOwner, StoredOwner } from '../stored/stored-owner.ts';
import { addApplyPlansCommand } from './apply-plans-command.ts';
import { deleteOwner, renameOwner, resetUsage, setOwnerStatus } from './change-owner.ts';
import { createOwner } from './create-owner.ts';
import { historyFields, lastChangeField } from './history-view.ts';
import { type OwnerLimits, setPlanCommand } from './owner-limits.ts';
import { dayFields, lastDays, meteredDays, meteredFields, ownersUsage } from './owner-usage.ts';
import { busiestFirst, limitsText, ownerFields, ownerView } from './owner-view.ts';
import { setOwnerPlan } from './set-owner-plan.ts';

/** Adds the commands `owners …`. */
export function addOwnersCommands(program: Command, io: CommandIo): void {
  const owners = program
    .command('owners')
    .description('create, show and change owners: their plans, limits and usage');
  addVerb<AgreedLimits>(owners, io, {
    usage: 'create <name>',
    description: 'create an owner, whose keys share its limits',
    requiredOptions: [new Option('--plan <plan>', 'its limits').choices(planNames)],
    options: [...limitOptions, asOption],
    examples: ['owners create "Acme Ltd" --stage staging --plan free'],
    run: async ({ stage, options: { plan, perMinute, perDay } }, name) =>
      shown(await createOwner({ name, plan, perMinute, perDay }, stage), stage),
  });
  addVerb<{ busiest?: boolean }>(owners, io, {
    usage: 'list',
    description: 'list all owners with their usage, the newest first',
    options: [new Option('--busiest', 'list the busiest of today first')],
    examples: ['owners list --stage prod --busiest'],
    run: async ({ stage, options }) => {
      const views = (await allOwners(stage)).map((owner) => ownerView(owner, stage.now()));
      if (options.busiest) views.sort(busiestFirst);
      const none = 'There are no owners; "./admin owners create" creates one.';
      return { value: views, text: tableText(ownerFields, views, none) };
    },
  });
  addVerb(owners, io, {
    usage: 'show <owner>',
    description: 'show an owner, by its id or name: its limits and their usage',
    run: async ({ stage }, idOrName) => {
      const owner = await findOwner(idOrName, stage);
      const lastChange = (await readHistory(owner.details.ownerId, stage)).at(-1) ?? null;
      const view = { ...ownerView(owner, stage.now()), lastChange };
      return { value: view, text: recordText([...ownerFields, lastChangeField], view) };
    },
  });
  addVerb(owners, io, {
    usage: 'history <owner>',
    description:
      'show who has changed an owner and its keys, when and how, the oldest change first',
    help: historyHelp,
    run: async ({ stage }, idOrName) => {
      const ownerId = isOwnerId(idOrName)
        ? idOrName
        : (await findOwner(idOrName, stage)).details.ownerId;
      const history = await readHistory(ownerId, stage);
      if (history.length === 0) await findOwner(ownerId, stage);
      return { value: history, text: tableText(historyFields, history, 'There are no changes.') };
    },
  });
  addVerb<{ days: number }>(owners, io, {
    usage: 'usage [owner]',
    description:
      "show every owner's requests, or one owner's by day, as API Gateway has metered them",
    options: [
      new Option('--days <days>', `the number of days, including today, up to ${meteredDays}`)
        .argParser(wholeNumberUpTo(meteredDays))
        .default(30),
    ],
    help: usageHelp,
    examples: ['owners usage --stage prod --days 90', 'owners usage "Acme Ltd" --stage prod'],
    run: async ({ stage, options }, idOrName?: string) => {
      const days = lastDays(options.days, stage.now());
      const used = await ownersUsage(idOrName, days, stage);
      const total = used.reduce((sum, { requests }) => sum + requests, 0);
      const sum = `${counted(total, 'request')} in ${counted(days.length, 'day')}.`;
      const table =
        idOrName === undefined
          ? tableText(meteredFields, used, 'There are no owners.')
          : tableText(dayFields, used[0]!.days);
      return { value: idOrName === undefined ? used : used[0], text: `${table}\n\n${sum}` };
    },
  });
  addVerb<Partial<OwnerLimits>>(owners, io, {
    usage: 'set-plan <owner>',
    arguments: [new Argument('<plan>').choices(planNames)],
    description: 'move an owner to another plan, or give it other limits',
    options: [...limitOptions, asOption],
    examples: ['owners set-plan Initech enterprise --stage prod --per-minute 500 --per-day 20000'],
    help: setPlanHelp,
    run: setPlan,
  });
  addApplyPlansCommand(owners, io);
  addVerb(owners, io, {
    usage: 'rename <owner> <name>',
    showCommand: () => 'owners list',
    description: 'give an owner another name',
    options: [asOption],
    run: async ({ stage }, owner, name) => shown(await renameOwner(owner, name, stage), stage),
  });
  addVerb(owners, io, {
    usage: 'suspend <owner>',
    description: 'reject all keys of an owner, from their next request on',
    options: [yesOption, asOption],
    run: async ({ stage, confirm }, idOrName) => {
      const owner = await findCompleteOwner(idOrName, stage);
      await confirm(suspendQuestion(owner));
      return shown(await setOwnerStatus(owner.details.ownerId, 'suspended', stage), stage);
    },
  });
  addVerb(owners, io, {
    usage: 'resume <owner>',
    description: 'let the keys of a suspended owner work again',
    options: [asOption],
    run: async ({ stage }, owner) => shown(await setOwnerStatus(owner, 'active', stage), stage),
  });
  addVerb(owners, io, {
    usage: 'reset-usage <owner>',
    description: "reset an owner's usage, for example after an error has used up its daily limit",
    options: [asOption],
    run: async ({ stage }, owner) => shown(await resetUsage(owner, stage), stage),
  });
  addVerb(owners, io, {
    usage: 'delete <owner>',
    description: 'remove everything that is stored about an owner: its name, keys and usage',
    options: [yesOption, asOption],
    help: deleteHelp,
    run: async ({ stage, confirm }, idOrName) => {
      const { details, item } = await findOwner(idOrName, stage);
      const { ownerId, name } = details;
      const keys = Object.keys(item?.keys ?? {}).length;
      const question =
        `Delete ${name} (${ownerId}) with everything that is stored about it? Its ${counted(keys, 'key')} will ` +
        'be refused from the next request on, for good.';
      await confirm(question);
      await deleteOwner(ownerId, stage);
      return {
        value: { ownerId, name, keys, deleted: true },
        text: `Deleted ${name} (${ownerId}).`,
      };
    },
  });
}

const limitOptions = [
  new Option(
    '--per-minute <requests>',
    "its own limit per minute, at most the plan's; enterprise requires both",
  ).argParser(wholeNumber),
  new Option('--per-day <requests>', "its own limit per day, at most the plan's").argParser(
    wholeNumber,
  ),
];

const historyHelp = `
It has the latest few hundred changes. Those of a deleted owner are found by its id: only the deletion remains.`;

const usageHelp = `
Days are UTC. API Gateway meters only admitted requests, and AWS does not promise an exact number.`;

const deleteHelp = `
Logs and backups still contain the owner for a while (docs/operating.md).`;

const setPlanHelp = `
A limit that is not given is the plan's; with enterprise, it stays as it is. The line "undo" has the command
that undoes the change.`;

async function setPlan(
  { stage, options }: Call<Partial<OwnerLimits>>,
  idOrName: string,
  plan: string,
): Promise<Result> {
  const { details, item: before } = await findCompleteOwner(idOrName, stage);
  const { ownerId, agreed } = details;
  const { perMinute, perDay, local } = options;
  const owner = await setOwnerPlan(ownerId, { plan: plan as PlanName, perMinute, perDay }, stage);
  const { value, text } = shown(owner, stage);
  const [undo, done] = [agreed, owner.details.agreed].map((each) => setPlanCommand(ownerId, each));
  const target = local === undefined ? `--stage ${stage.name}` : `--local ${labelOf(options)}`;
  const isUndoable = isPlanName(agreed.plan) && undo !== done;
  const undoing = isUndoable ? `./admin ${undo} ${target}` : null;
  const [from, to] = [before, owner.item].map((item) => `${item.plan}, ${limitsText(item)}`);
  const unchanged = owner.wasRepaired
    ? "nothing but API Gateway's key, which was not in the plan's usage plan"
    : 'nothing';
  const lines = [
    text,
    `changed      ${from === to ? unchanged : `from ${from} to ${to}`}`,
    ...(undoing ? [`undo         ${undoing}`] : []),
  ];
  const { plan: was, perMinute: minute, perDay: day } = before;
  return {
    value: { ...value, from: { plan: was, perMinute: minute, perDay: day }, undo: undoing },
    text: lines.join('\n'),
  };
}

function shown(owner: StoredOwner, { now }: Call['stage']) {
  const view = ownerView(owner, now());
  return { value: view, text: recordText(ownerFields, view) };
}

function suspendQuestion({ details: { name, ownerId }, item }: CompleteOwner): string {
  const keys = counted(Object.keys(item.keys).length, 'key');
  return (
    `Suspend ${name} (${ownerId})? Its ${keys} will be refused from the next request on, until ` +
    '"./admin owners resume".'
  );
}
