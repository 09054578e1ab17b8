import { Option } from 'commander';
import { planNames } from '../../../lib/settings/plans.ts';
import { InvalidValueError } from '../../shared/errors.ts';
import type { Verb } from '../console/verb.ts';
import { counted, tableText } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findGatewayKeys, ownerOfGatewayKey } from '../store/gateway-keys.ts';
import { ownersNamed } from '../store/owners.ts';

export const usage: Verb<{ month?: string }> = {
  usage: 'usage [owner]',
  description:
    'show the requests of a month that API Gateway has metered, by owner, or for one owner by day',
  options: [new Option('--month <month>', 'such as 2026-11 (default: the present month)')],
  help: `Days and months are in UTC. API Gateway meters only admitted requests, and keeps
their numbers for 90 days. AWS does not promise that they are exact.`,
  examples: [
    'owners usage --stage prod',
    'owners usage "Acme Ltd" --month 2026-11 --stage prod --json',
  ],
  run: async ({ stage, options }, idOrName?: string) => {
    const days = daysOf(options.month ?? dayOf(stage.now()).slice(0, 7), stage.now());
    const used = await ownersUsage(idOrName, days, stage);
    const total = used.reduce((sum, { requests }) => sum + requests, 0);
    const sum = `${counted(total, 'request')} from ${days[0]} to ${days.at(-1)}.`;
    const table =
      idOrName === undefined
        ? tableText(used.map(rowOf), 'There are no owners.')
        : tableText(used[0]!.days, 'There is no day with requests.');
    return { value: idOrName === undefined ? used : used[0], text: `${table}\n\n${sum}` };
  },
};

/** API Gateway keeps the metered requests for this number of days. */
const meteredDays = 90;

const dayMs = 86_400_000;

const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/**
 * The days of a month until today, such as `2026-11-20`, that are still metered.
 *
 * @throws InvalidValueError if no day of the month is metered
 */
function daysOf(month: string, nowMs: number): string[] {
  const metered = Array.from({ length: meteredDays }, (_, age) => dayOf(nowMs - age * dayMs));
  const days = metered.reverse().filter((day) => day.slice(0, 7) === month);
  if (days.length > 0) return days;
  const expected = `a month from ${metered[0]!.slice(0, 7)} to ${dayOf(nowMs).slice(0, 7)}`;
  throw new InvalidValueError('--month', month, expected);
}

type OwnerUsage = Awaited<ReturnType<typeof ownersUsage>>[number];

const rowOf = ({ ownerId, plan, requests, name }: OwnerUsage) => {
  return { 'owner id': ownerId, plan, requests, name };
};

/**
 * The requests that API Gateway has metered on consecutive days (UTC), with the API Gateway keys of all plans. Lists
 * all owners, the busiest owner first, or one owner. `days` has the days with requests.
 */
async function ownersUsage(
  idOrName: string | undefined,
  dates: readonly string[],
  stage: KeyStage,
) {
  const owners = await ownersNamed(idOrName, stage);
  // Looked up by id and by value, because API Gateway's reference says that the usage has the ids of keys, but its
  // example shows the values.
  const gatewayKeys = await findGatewayKeys(stage);
  const ownerOf = new Map(gatewayKeys.map((key) => [key.id, key.ownerId]));
  const interval = { startDate: dates[0]!, endDate: dates.at(-1)! };
  const ofPlans = planNames.map((plan) =>
    stage.gateway.getUsage({ usagePlanId: stage.usagePlanId(plan), ...interval }),
  );
  const metered = (await Promise.all(ofPlans)).flatMap((each) => Object.entries(each));
  const byOwner = Map.groupBy(metered, ([key]) => ownerOf.get(key) ?? ownerOfGatewayKey(key));
  return owners
    .map(({ details: { ownerId, name }, item }) => {
      const own = byOwner.get(ownerId) ?? [];
      const days = dates
        .map((day, index) => {
          const requests = own.reduce((sum, [, everyDay]) => sum + (everyDay[index]?.[0] ?? 0), 0);
          return { day, requests };
        })
        .filter(({ requests }) => requests > 0);
      const requests = days.reduce((sum, each) => sum + each.requests, 0);
      return { ownerId, name, plan: item.plan, requests, days };
    })
    .sort((one, other) => other.requests - one.requests);
}
