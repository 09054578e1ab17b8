import { isPlanName } from '../../lib/settings/plans.ts';
import { type Column, counted, grouped, pairs, table } from '../console/text-layout.ts';
import type { OutdatedOwner } from './apply-plans.ts';
import type { OwnerDescription, OwnerSummary, Usage, UsageNow } from './owner-description.ts';
import type { OwnerLimits } from './owner-limits.ts';

/** Formats the description of one owner. */
export function ownerText(owner: OwnerDescription): string {
  return pairs([
    ['owner id', owner.ownerId],
    ['name', owner.name],
    ['plan', planText(owner)],
    ['status', owner.status],
    ...limitsLine(owner),
    ['created', owner.createdAt],
    ['keys', grouped(owner.keys)],
    ...(owner.usage ? usageLines(owner.usage) : []),
  ]);
}

/** Formats a list of owners as a table. */
export function ownerList(owners: OwnerSummary[], width?: number): string {
  if (owners.length > 0) return table(ownerColumns, owners, width);
  return 'There are no owners yet; "owners create" makes one.';
}

const ownerColumns: readonly Column<OwnerSummary>[] = [
  { heading: 'OWNER ID', cell: ({ ownerId }) => ownerId },
  { heading: 'NAME', cell: ({ name }) => name, isCuttable: true },
  { heading: 'PLAN', cell: ({ plan }) => plan ?? '-' },
  { heading: 'STATUS', cell: ({ status }) => status },
  {
    heading: 'PER MINUTE',
    cell: ({ perMinute }) => (perMinute === null ? '-' : grouped(perMinute)),
  },
  { heading: 'PER DAY', cell: ({ perDay }) => (perDay === null ? '-' : grouped(perDay)) },
  { heading: 'KEYS', cell: ({ keys }) => grouped(keys) },
  { heading: 'CREATED', cell: ({ createdAt }) => createdAt },
];

/** Formats the changes of limits as a table. */
export function outdatedList(outdated: readonly OutdatedOwner[], width?: number): string {
  return table(outdatedColumns, outdated, width);
}

const outdatedColumns: readonly Column<OutdatedOwner>[] = [
  { heading: 'OWNER ID', cell: ({ owner }) => owner.details.ownerId },
  { heading: 'NAME', cell: ({ owner }) => owner.details.name, isCuttable: true },
  { heading: 'PLAN', cell: ({ owner }) => owner.item.plan },
  {
    heading: 'PER MINUTE',
    cell: ({ owner, limits }) => changeText(owner.item.perMinute, limits.perMinute),
  },
  { heading: 'PER DAY', cell: ({ owner, limits }) => changeText(owner.item.perDay, limits.perDay) },
];

/** Formats limits in one line. */
export function limitsText({ perMinute, perDay }: OwnerLimits): string {
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

/** Formats the usage of the minute and of the day. */
export function usageLines({ minute, day }: Usage): [string, string][] {
  return [
    ['this minute', usageText(minute)],
    ['today', usageText(day)],
  ];
}

/** The question before an owner is suspended. */
export function suspendQuestion({ name, ownerId, keys }: OwnerSummary): string {
  return (
    `Suspend ${name} (${ownerId})? Its ${counted(keys, 'key')} will be refused from the next ` +
    'request on, until "owners resume".'
  );
}

function planText({ plan }: OwnerSummary): string {
  if (plan === null) return 'none yet: "owners create" with this name and a plan completes it';
  if (isPlanName(plan)) return plan;
  return `${plan}, which is no plan any more: "owners set-plan" moves the owner to another`;
}

function limitsLine({ perMinute, perDay }: OwnerSummary): [string, string][] {
  if (perMinute === null || perDay === null) return [];
  return [['limits', limitsText({ perMinute, perDay })]];
}

function usageText({ limit, used, resetsAt }: UsageNow): string {
  return `${grouped(used)} of ${grouped(limit)} used, starts anew at ${resetsAt}`;
}

function changeText(from: number, to: number): string {
  return from === to ? grouped(from) : `${grouped(from)} → ${grouped(to)}`;
}
