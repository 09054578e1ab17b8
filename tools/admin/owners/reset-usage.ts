import { quotaInDays } from '../../../lib/settings/plans.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { findOwner } from '../store/owners.ts';
import { changedOwner } from './owner-view.ts';

export const resetUsage: Verb = {
  usage: 'reset-usage <owner>',
  description:
    'set the usage of an owner to 0, for example after a mistake has used up its daily limit',
  options: [asOption],
  help: `This helps at most ${quotaInDays - 1} times a day (UTC), because API Gateway itself
rejects all requests above ${quotaInDays} times the daily limit. Only a larger plan admits more.`,
  examples: ['owners reset-usage "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName) => {
    const owner = await findOwner(idOrName!, stage);
    return changedOwner(
      owner,
      { item: { minuteCount: 0, dayCount: 0 } },
      'owners reset-usage',
      stage,
    );
  },
};
