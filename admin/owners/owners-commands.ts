import { Argument, type Command } from 'commander';
import { type PlanName, planNames } from '../../lib/settings/plans.ts';
import { type CommandIo, columnsOf, type GlobalOptions, print } from '../console/command-io.ts';
import { examples, planOption, wholeNumber } from '../console/command-options.ts';
import { type ConfirmationOptions, confirm, confirmationHelp } from '../console/questions.ts';
import { openStage } from '../stage/open-stage.ts';
import { addApplyPlans } from './apply-plans-command.ts';
import { createOwner } from './create-owner.ts';
import { allOwners, findCompleteOwner, findOwner } from './find-owner.ts';
import { describeOwner, summarizeOwner } from './owner-description.ts';
import { ownerList, ownerText, suspendQuestion } from './owner-texts.ts';
import { renameOwner } from './rename-owner.ts';
import { resetUsage } from './reset-usage.ts';
import { setOwnerPlan } from './set-owner-plan.ts';
import { setOwnerStatus } from './set-owner-status.ts';
import type { StoredOwner } from './stored-owner.ts';

interface LimitOptions extends GlobalOptions {
  perMinute?: number;
  perDay?: number;
}

interface CreateOptions extends LimitOptions {
  plan: PlanName;
}

interface SuspendOptions extends GlobalOptions, ConfirmationOptions {}

/** Adds the commands `owners …`. Each one parses its options, calls one function and prints its result. */
export function addOwnersCommands(program: Command, io: CommandIo): void {
  const owners = program
    .command('owners')
    .description('the owners of keys: their plans, limits and usage');
  addCreate(owners, io);
  addList(owners, io);
  addShow(owners, io);
  addSetPlan(owners, io);
  addRename(owners, io);
  addSuspend(owners, io);
  addResume(owners, io);
  addResetUsage(owners, io);
  addApplyPlans(owners, io);
}

function addCreate(owners: Command, io: CommandIo): void {
  const command = owners
    .command('create <name>')
    .description('create an owner, whose keys share its limits')
    .addOption(planOption('how much its keys may do').makeOptionMandatory())
    .addHelpText(
      'after',
      examples(
        'owners create "Acme Ltd" --stage staging --plan free',
        'owners create Initech --stage prod --plan enterprise --per-minute 5000 --per-day 2000000',
      ),
    )
    .action(async (name: string) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const { plan, perMinute, perDay } = options;
      const store = await openStage(io, options);
      printOwner(io, options, await createOwner({ name, plan, perMinute, perDay }, store));
    });
  addLimitOptions(command);
}

function addList(owners: Command, io: CommandIo): void {
  const command = owners
    .command('list')
    .description('all owners, the newest first')
    .addHelpText('after', examples('owners list --stage prod', 'owners list --stage prod --json'))
    .action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await allOwners(await openStage(io, options));
      const owners = found.map(summarizeOwner);
      print(io, options, owners, ownerList(owners, columnsOf(io.stdout)));
    });
}

function addShow(owners: Command, io: CommandIo): void {
  const command = owners
    .command('show <owner>')
    .description('one owner, by its id or name: its limits, and what its keys have used of them')
    .addHelpText('after', examples('owners show "Acme Ltd" --stage prod'))
    .action(async (owner: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      printOwner(io, options, await findOwner(owner, await openStage(io, options)));
    });
}

function addSetPlan(owners: Command, io: CommandIo): void {
  const command = owners
    .command('set-plan')
    .description('move an owner to another plan')
    .argument('<owner>')
    .addArgument(new Argument('<plan>').choices(planNames))
    .addHelpText(
      'after',
      examples(
        'owners set-plan "Acme Ltd" pro --stage prod',
        'owners set-plan Initech enterprise --stage prod --per-minute 5000 --per-day 2000000',
      ),
    )
    .action(async (owner: string, plan: PlanName) => {
      const options = command.optsWithGlobals<LimitOptions>();
      const { perMinute, perDay } = options;
      const store = await openStage(io, options);
      printOwner(io, options, await setOwnerPlan(owner, { plan, perMinute, perDay }, store));
    });
  addLimitOptions(command);
}

function addRename(owners: Command, io: CommandIo): void {
  const command = owners
    .command('rename <owner> <name>')
    .description('give an owner another name')
    .addHelpText('after', examples('owners rename "Acme Ltd" "Acme Pets" --stage prod'))
    .action(async (owner: string, name: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      printOwner(io, options, await renameOwner(owner, name, await openStage(io, options)));
    });
}

function addSuspend(owners: Command, io: CommandIo): void {
  const command = owners
    .command('suspend <owner>')
    .description('refuse all keys of an owner from their next requests on')
    .option('--yes', 'do not ask')
    .addHelpText('after', confirmationHelp + examples('owners suspend "Acme Ltd" --stage prod'))
    .action(async (idOrName: string) => {
      const options = command.optsWithGlobals<SuspendOptions>();
      const store = await openStage(io, options);
      const owner = await findCompleteOwner(idOrName, store);
      await confirm(io, options, () => suspendQuestion(summarizeOwner(owner)));
      printOwner(io, options, await setOwnerStatus(owner, 'suspended', store));
    });
}

function addResume(owners: Command, io: CommandIo): void {
  const command = owners
    .command('resume <owner>')
    .description('let the keys of a suspended owner work again')
    .addHelpText('after', examples('owners resume "Acme Ltd" --stage prod'))
    .action(async (idOrName: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const store = await openStage(io, options);
      const owner = await findCompleteOwner(idOrName, store);
      printOwner(io, options, await setOwnerStatus(owner, 'active', store));
    });
}

function addResetUsage(owners: Command, io: CommandIo): void {
  const command = owners
    .command('reset-usage <owner>')
    .description('forget what an owner has used, as after a wrong clock has used up its day')
    .addHelpText('after', examples('owners reset-usage "Acme Ltd" --stage prod'))
    .action(async (owner: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      printOwner(io, options, await resetUsage(owner, await openStage(io, options)));
    });
}

function addLimitOptions(command: Command): void {
  command
    .option('--per-minute <requests>', 'its own limit; the enterprise plan needs both', wholeNumber)
    .option('--per-day <requests>', 'its own limit; at most what the plan allows', wholeNumber);
}

function printOwner(io: CommandIo, options: GlobalOptions, stored: StoredOwner): void {
  const owner = describeOwner(stored, io.now());
  print(io, options, owner, ownerText(owner));
}
