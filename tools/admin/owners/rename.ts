import { asOption, type Verb } from '../console/verb.ts';
import { findOwner, ownerName } from '../store/owners.ts';
import { changedOwner } from './owner-view.ts';

export const rename: Verb = {
  usage: 'rename <owner> <name>',
  description: 'give an owner another name',
  options: [asOption],
  examples: ['owners rename "Acme Ltd" "Acme Pets" --stage prod'],
  run: async ({ stage }, idOrName, newName) => {
    const name = ownerName(newName!);
    const owner = await findOwner(idOrName!, stage);
    return changedOwner(owner, { details: { name } }, 'owners rename', stage);
  },
};
