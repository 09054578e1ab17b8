import type { Verb } from '../console/verb.ts';
import { tableText } from '../console/view.ts';
import { allOwners } from '../store/owners.ts';
import { type OwnerView, ownerView } from './owner-view.ts';

export const list: Verb = {
  usage: 'list',
  description: 'list all owners with their usage, the busiest owner of today first',
  examples: ['owners list --stage prod'],
  run: async ({ stage }) => {
    const views = (await allOwners(stage))
      .map((owner) => ownerView(owner, stage))
      .sort((one, other) => other.usage.day.used - one.usage.day.used);
    const none = 'There are no owners; "./admin owners create Acme --plan free" creates one.';
    return { value: views, text: tableText(views.map(rowOf), none) };
  },
};

function rowOf({ ownerId, name, plan, isPlanKnown, status, keys, bans, usage }: OwnerView) {
  return {
    'owner id': ownerId,
    plan: isPlanKnown ? plan : `${plan} (removed)`,
    status,
    keys,
    bans: bans.length,
    today: usage.day.used,
    'per day': usage.day.limit,
    name,
  };
}
