import { counted, grouped, pairs, table } from '../console/text-layout.ts';
import type { OutdatedOwner } from './apply-plans.ts';
import type { OwnerDescription, OwnerSummary, Usage, UsageNow } from './owner-description.ts';
import type { OwnerLimits } from './owner-limits.ts';

/** All that is known of one owner. */
export function ownerText(owner: OwnerDescription): string {
  return pairs([
    ['owner id', owner.ownerId],
    ['name', owner.name],
    ['plan', owner.plan ?? 'none yet: "owners create" with this name and a plan completes it'],
    ['status', owner.status],
    ...limitsLine(owner),
    ['created', owner.createdAt],
    ['keys', grouped(owner.keys)],
    ...(owner.usage ? usageLines(owner.usage) : []),
  ]);
}

/** Many owners as a table. */
export function ownerList(owners: OwnerSummary[]): string {
  if (owners.length === 0) return 'There are no owners yet; "owners create" makes one.';
  return table(
    ['OWNER ID', 'NAME', 'PLAN', 'STATUS', 'PER MINUTE', 'PER DAY', 'KEYS', 'CREATED'],
    owners.map((owner) => [
      owner.ownerId,
      owner.name,
      owner.plan ?? '-',
      owner.status,
      owner.perMinute === null ? '-' : grouped(owner.perMinute),
      owner.perDay === null ? '-' : grouped(owner.perDay),
      grouped(owner.keys),
      owner.createdAt,
    ]),
  );
}

/** Which limits would change, and to what. */
export function outdatedList(outdated: readonly OutdatedOwner[]): string {
  return table(
    ['OWNER ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY'],
    outdated.map(({ owner: { details, item }, limits }) => [
      details.ownerId,
      details.name,
      item.plan,
      changeText(item.perMinute, limits.perMinute),
      changeText(item.perDay, limits.perDay),
    ]),
  );
}

/** Limits as one line says them. */
export function limitsText({ perMinute, perDay }: OwnerLimits): string {
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

/** What is used of the minute and of the day. */
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
