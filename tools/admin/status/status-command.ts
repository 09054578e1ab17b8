import type { Command } from 'commander';
import { quoted, WrongStateError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { busiestFirst, type OwnerView, ownerFields, ownerView } from '../owners/owner-view.ts';
import { allOwners } from '../stored/find-owner.ts';
import { createOwnerIdentity, createToken } from '../stored/identities.ts';
import { type DeployedStage, deployedStage } from './deployed-stage.ts';

const busiestShown = 5;

/** Adds the command `status`. */
export function addStatusCommand(program: Command, io: CommandIo): void {
  addVerb(program, io, {
    usage: 'status',
    description: 'show alarms, versions, requests of the last hour, the busiest owners and bans',
    help: statusHelp,
    examples: ['status --stage prod'],
    run: status,
  });
}

const statusHelp = `
The first line is "STAGE works", or what is wrong: alarms that are on or reach nobody, functions that fail, and owners
that are incomplete. If anything is wrong, the exit code is 1. The command changes nothing. A local run has no alarms,
metrics or versions.`;

async function status({ stage, place, options }: Call): Promise<Result> {
  const { seed } = createOwnerIdentity(stage.tokenPrefix);
  const deployed =
    options.local === undefined
      ? await deployedStage(stage.name, stage.now(), createToken(stage.tokenPrefix, seed))
      : null;
  const owners = (await allOwners(stage)).map((owner) => ownerView(owner, stage.now()));
  const busy = owners.filter(({ usage }) => usage && usage.day.used > 0);
  const busiest = busy.toSorted(busiestFirst).slice(0, busiestShown);
  const bans = owners.flatMap(({ ownerId, name, bans: each }) =>
    each.map((ban) => ({ ownerId, name, ...ban })),
  );
  const found = deployed ? findings(deployed) : { problems: [], remarks: [] };
  const problems = [...found.problems, ...ownerProblems(owners)];
  const verdict = [problems.join('; ') || `${stage.name} works`, ...found.remarks].join(', but ');
  const texts = [
    `${verdict}\n${place}`,
    ...(deployed ? deployedTexts(deployed) : []),
    tableText(ownerFields, busiest, 'No owner has sent a request today.'),
    tableText(banFields, bans, 'No key is banned.'),
  ];
  return {
    value: { works: problems.length === 0, problems, place, ...deployed, busiest, bans },
    text: texts.join('\n\n'),
    ...(problems.length > 0 && { failure: new WrongStateError(`${stage.name}: ${verdict}`) }),
  };
}

/** What is wrong, and what is no problem of the stage, such as staging without an address for alarms. */
function findings({ alarms, alarmSubscriptions, functions }: DeployedStage) {
  const { isExpected, confirmed, pending } = alarmSubscriptions;
  const reason =
    pending > 0 ? 'a subscription waits for its confirmation' : 'the topic has no subscription';
  const unheard =
    confirmed > 0
      ? []
      : [`alarms reach nobody: ${reason} (docs/runbook.md, "Alarms that reach nobody")`];
  const unasked = functions.filter(({ unknown }) => unknown !== null);
  const failing = functions.filter(({ failure }) => failure !== null);
  const crashing = functions.filter(({ errors }) => errors > 0);
  const problems = [
    ...(isExpected ? unheard : []),
    ...alarms.map(({ name }) => `${name ? `the alarm ${name}` : 'an alarm without a name'} is on`),
    ...failing.map(({ name, failure }) => `the function ${name} ${failure}`),
    ...crashing.map(
      ({ name, errors }) => `the function ${name} had ${counted(errors, 'error')} in the last hour`,
    ),
  ];
  const remarks = [
    ...unasked.map(({ name, unknown }) => `the function ${name} could not be asked: ${unknown}`),
    ...(isExpected ? [] : unheard),
  ];
  return { problems, remarks };
}

function ownerProblems(owners: readonly OwnerView[]): string[] {
  const incomplete = owners.filter((owner) => owner.status === 'incomplete');
  if (incomplete.length === 0) return [];
  const names = incomplete.slice(0, busiestShown).map(({ name }) => quoted(name));
  if (incomplete.length > names.length) names.push('…');
  return [
    `${counted(incomplete.length, 'owner')} incomplete: ${names.join(', ')} ("./admin owners create" completes one, "./admin owners delete" removes one)`,
  ];
}

function deployedTexts({ alarms, functions, lastHour }: DeployedStage): string[] {
  const { requests, status4xx, status5xx, status429 } = lastHour;
  return [
    tableText(alarmFields, alarms, 'No alarm is on.'),
    `${counted(requests, 'request')} in the last hour; ${grouped(status4xx)} with 4xx, of which ` +
      `${grouped(status429)} with 429; ${grouped(status5xx)} with 5xx.`,
    tableText(functionFields, functions),
  ];
}

const alarmFields: readonly Field<DeployedStage['alarms'][number]>[] = [
  { name: 'alarm', of: ({ name }) => name },
  { name: 'since', of: ({ since }) => since },
  { name: 'meaning', of: ({ description }) => description },
];

const functionFields: readonly Field<DeployedStage['functions'][number]>[] = [
  { name: 'function', of: ({ name }) => name },
  { name: 'version', of: ({ version }) => version },
  { name: 'deployed', of: ({ deployedAt }) => deployedAt },
];

const banFields: readonly Field<OwnerView['bans'][number] & { name: string }>[] = [
  { name: 'banned key', of: ({ keyId }) => keyId },
  { name: 'owner', of: ({ name }) => name },
  { name: 'until', of: ({ bannedUntil }) => bannedUntil },
];
