import type { Command } from 'commander';
import { isPlanName } from '../../lib/settings/plans.ts';
import { quoted } from '../../shared/errors.ts';
import {
  type CommandIo,
  columnsOf,
  type GlobalOptions,
  print,
  printMessage,
  printText,
} from '../console/command-io.ts';
import { examples } from '../console/command-options.ts';
import { type ConfirmationOptions, confirmAlways } from '../console/questions.ts';
import { counted } from '../console/text-layout.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { openStage } from '../stage/open-stage.ts';
import { applyPlans, type OutdatedOwner, reviewPlans } from './apply-plans.ts';
import { outdatedList } from './owner-texts.ts';
import type { CompleteOwner } from './stored-owner.ts';

interface ApplyPlansOptions extends GlobalOptions, ConfirmationOptions {
  dryRun?: boolean;
}

const help = `
It compares every owner's limits with the numbers in lib/settings/plans.ts, shows what it will change,
and then asks; without a terminal it needs --yes. Limits agreed with an owner stay, as far as its
plan allows them. Deploy first where a number has grown, and last where it has shrunk.
${examples('owners apply-plans --stage prod --dry-run', 'owners apply-plans --stage prod --yes')}`;

/** Adds the command `owners apply-plans`. */
export function addApplyPlans(owners: Command, io: CommandIo): void {
  const command = owners
    .command('apply-plans')
    .description('give owners the present numbers of their plans')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'do not ask')
    .addHelpText('after', help)
    .action(async () => {
      const options = command.optsWithGlobals<ApplyPlansOptions>();
      await run(io, options, await openStage(io, options));
    });
}

async function run(io: CommandIo, options: ApplyPlansOptions, store: KeyStore): Promise<void> {
  const { outdated, unclear } = await reviewPlans(store);
  const changes = outdated.map(changeJson);
  const review = reviewText(outdated, columnsOf(options.json ? io.stderr : io.stdout));
  for (const owner of unclear) printMessage(io, unclearText(owner));
  if (options.dryRun || outdated.length === 0) {
    print(io, options, { changes, applied: false }, review);
    return;
  }
  // The changes are shown before the confirmation; with `--json`, standard output is for the result.
  if (options.json) printMessage(io, review);
  else printText(io, review);
  await confirmAlways(io, options, () => `Change ${counted(outdated.length, 'owner')}?`);
  await applyPlans(outdated, store);
  const text = `Changed ${counted(outdated.length, 'owner')}.`;
  print(io, options, { changes, applied: true }, text);
}

function reviewText(outdated: readonly OutdatedOwner[], width: number): string {
  if (outdated.length > 0) return outdatedList(outdated, width);
  return 'Every owner has the limits of its plan: there is nothing to change.';
}

function unclearText({ details, item }: CompleteOwner): string {
  const { ownerId, agreed } = details;
  if (!isPlanName(item.plan)) {
    const { plan } = item as { plan: string };
    return `${ownerId} is left out: there is no plan ${quoted(plan)} any more; "owners set-plan" moves it to another`;
  }
  return (
    `${ownerId} is left out: its move from ${item.plan} to ${agreed.plan} was interrupted; ` +
    '"owners set-plan" completes it'
  );
}

function changeJson({ owner: { details, item }, limits }: OutdatedOwner) {
  const { ownerId, name } = details;
  const { plan, perMinute, perDay } = item;
  return { ownerId, name, plan, from: { perMinute, perDay }, to: limits };
}
