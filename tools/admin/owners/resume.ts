import { asOption, type Verb } from '../console/verb.ts';
import { changedOwner } from './owner-view.ts';
import { setOwnerStatus } from './suspend.ts';

export const resume: Verb = {
  usage: 'resume <owner>',
  description: 'let the keys of a suspended owner work again',
  options: [asOption],
  examples: ['owners resume "Acme Ltd" --stage prod'],
  run: async ({ stage }, owner) =>
    changedOwner(stage, () => setOwnerStatus(owner!, 'active', stage)),
};
