import { noUsage } from '../../../lambdas/keys/owner-record.ts';
import { quotaInDays } from '../../../lib/settings/plans.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeOwner } from '../store/owner-change.ts';
import { findCompleteOwner } from '../store/owners.ts';
import type { CompleteOwner } from '../store/stored-owner.ts';
import { changedOwner } from './owner-view.ts';

export const resetUsage: Verb = {
  usage: 'reset-usage <owner>',
  description:
    'set the usage of an owner to 0, for example after a mistake has used up its daily limit',
  options: [asOption],
  help: `This helps at most ${quotaInDays - 1} times a day (UTC), because API Gateway itself
rejects all requests above ${quotaInDays} times the daily limit. Only a larger plan admits more.`,
  examples: ['owners reset-usage "Acme Ltd" --stage prod'],
  run: async ({ stage }, owner) => changedOwner(stage, () => resetOwnerUsage(owner!, stage)),
};

/** Sets an owner's counters to 0. @throws OperatorError if the owner is not complete */
export async function resetOwnerUsage(idOrName: string, stage: KeyStage): Promise<CompleteOwner> {
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const deed = { command: 'owners reset-usage' };
  const change = { deed, item: { set: { ...noUsage }, where: { ownerHash: present } } };
  await changeOwner({ details }, change, stage);
  return { details, item: { ...item, ...noUsage } };
}
