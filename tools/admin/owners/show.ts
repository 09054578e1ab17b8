import type { Verb } from '../console/verb.ts';
import { recordText } from '../console/view.ts';
import { findOwner } from '../store/owners.ts';
import { ownerFields, ownerView } from './owner-view.ts';

export const show: Verb = {
  usage: 'show <owner>',
  description: 'show the plan, limits and usage of an owner, by its id or name',
  examples: ['owners show "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName) => {
    const view = ownerView(await findOwner(idOrName!, stage), stage.now(), stage.plans);
    return { value: view, text: recordText(ownerFields, view) };
  },
};
