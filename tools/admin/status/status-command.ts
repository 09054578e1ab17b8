import type { Command } from 'commander';
import type { CommandIo, Result } from '../console/command-io.ts';
import { counted, type Field, grouped, tableText } from '../console/view.ts';
import { allOwners } from '../owners/find-owner.ts';
import { busiestFirst, type OwnerView, ownerFields, ownerView } from '../owners/owner-view.ts';
import { addVerb, type Call } from '../stage/verb.ts';
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
It changes nothing. A local run has no alarms, metrics or versions.`;

async function status({ stage, options }: Call): Promise<Result> {
  const isDeployed = options.local === undefined;
  const deployed = isDeployed ? await deployedStage(stage.name, stage.now()) : null;
  const owners = (await allOwners(stage)).map((owner) => ownerView(owner, stage.now()));
  const busy = owners.filter(({ usage }) => usage && usage.day.used > 0);
  const busiest = busy.toSorted(busiestFirst).slice(0, busiestShown);
  const bans = owners.flatMap(({ ownerId, name, bans: each }) =>
    each.map((ban) => ({ ownerId, name, ...ban })),
  );
  const texts = [
    ...(deployed ? deployedTexts(deployed) : []),
    tableText(ownerFields, busiest, 'No owner has sent a request today.'),
    tableText(banFields, bans, 'No key is banned.'),
  ];
  return { value: { ...deployed, busiest, bans }, text: texts.join('\n\n') };
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
