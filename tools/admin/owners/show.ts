import type { Verb } from '../console/verb.ts';
import { findOwner } from '../store/owners.ts';
import { ownerResult } from './owner-view.ts';

export const show: Verb = {
  usage: 'show <owner>',
  description: 'show the plan, limits and usage of an owner, by its id or name',
  examples: ['owners show "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName) => ownerResult(await findOwner(idOrName!, stage), stage),
};
