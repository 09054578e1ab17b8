import { asOption, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { findOwner } from '../store/owners.ts';
import { changedOwner } from './owner-view.ts';

export const suspend: Verb = {
  usage: 'suspend <owner>',
  description: 'reject all further requests of an owner, until "./admin owners resume"',
  options: [yesOption, asOption],
  examples: ['owners suspend "Acme Ltd" --stage prod'],
  run: async ({ stage, confirm }, idOrName) => {
    const owner = await findOwner(idOrName!, stage);
    const { name, ownerId } = owner.details;
    const keys = counted(Object.keys(owner.item.keys).length, 'key');
    await confirm(
      `Suspend ${name} (${ownerId})? Its ${keys} will be refused from the next request on, until ` +
        `"./admin owners resume ${ownerId}".`,
    );
    return changedOwner(owner, { item: { status: 'suspended' } }, 'owners suspend', stage);
  },
};
