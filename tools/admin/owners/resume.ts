import { asOption, type Verb } from '../console/verb.ts';
import { findOwner } from '../store/owners.ts';
import { changedOwner } from './owner-view.ts';

export const resume: Verb = {
  usage: 'resume <owner>',
  description: 'let the keys of a suspended owner work again',
  options: [asOption],
  examples: ['owners resume "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName) => {
    const owner = await findOwner(idOrName!, stage);
    return changedOwner(owner, { item: { status: 'active' } }, 'owners resume', stage);
  },
};
