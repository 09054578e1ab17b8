import { asOption, type Verb } from '../console/verb.ts';
import { renameOwner } from '../store/owner-change.ts';
import { findOwner, ownerName } from '../store/owners.ts';
import { ownerResult } from './owner-view.ts';

export const rename: Verb = {
  usage: 'rename <owner> <name>',
  description: 'give an owner another name',
  options: [asOption],
  examples: ['owners rename "Acme Ltd" "Acme Pets" --stage prod'],
  run: async ({ stage }, idOrName, newName) => {
    const name = ownerName(newName!);
    const owner = await findOwner(idOrName!, stage);
    const result = ownerResult({ ...owner, details: { ...owner.details, name } }, stage);
    await renameOwner(owner, name, stage);
    return result;
  },
};
