import { asOption, type Verb } from '../console/verb.ts';
import { nameTaken } from '../store/errors.ts';
import { differences } from '../store/history.ts';
import { changeTables } from '../store/owner-change.ts';
import { findCompleteOwner, lookUpOwner, ownerName } from '../store/owners.ts';
import { ownerResult } from './owner-view.ts';

export const rename: Verb = {
  usage: 'rename <owner> <name>',
  description: 'give an owner another name',
  options: [asOption],
  examples: ['owners rename "Acme Ltd" "Acme Pets" --stage prod'],
  run: async ({ stage }, idOrName, newName) => {
    const name = ownerName(newName!);
    const { details, item } = await findCompleteOwner(idOrName!, stage);
    const holder = await lookUpOwner(name, stage);
    if (holder && holder.details.ownerId !== details.ownerId) throw nameTaken(holder);
    const result = ownerResult({ details: { ...details, name }, item }, stage);
    const changes = differences({ name: details.name }, { name });
    if (name !== details.name) {
      await changeTables(details, { command: 'owners rename', changes }, { name }, stage);
    }
    return result;
  },
};
