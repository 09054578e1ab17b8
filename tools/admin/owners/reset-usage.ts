import { quotaInDays } from '../../../lib/settings/plans.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { counted, recordText } from '../console/view.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { readHistory } from '../store/history.ts';
import { changeOwner } from '../store/owner-change.ts';
import { findCompleteOwner } from '../store/owners.ts';
import type { CompleteOwner } from '../store/stored-owner.ts';
import { noUsage } from './create.ts';
import { ownerFields, ownerView } from './owner-view.ts';

export const resetUsage: Verb = {
  usage: 'reset-usage <owner>',
  description:
    'set the usage of an owner to 0, for example after a mistake has used up its daily limit',
  options: [asOption],
  examples: ['owners reset-usage "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName) => {
    const { plans } = stage;
    const { resetsToday, ...owner } = await resetOwnerUsage(idOrName!, stage);
    const view = ownerView(owner, stage.now(), plans);
    const warning =
      resetsToday < quotaInDays
        ? null
        : `The usage was reset ${counted(resetsToday, 'time')} today. Until 00:00 UTC, API Gateway itself rejects all ` +
          `requests above ${quotaInDays} times the daily limit. Only a larger plan admits more.`;
    const text = [recordText(ownerFields, view), warning].filter(Boolean).join('\n\n');
    return { value: { ...view, resetsToday, warning }, text };
  },
};

/**
 * Sets an owner's counters to 0.
 *
 * @returns the owner, and how many times its usage was reset today (UTC)
 * @throws OperatorError if the owner is not complete
 */
export async function resetOwnerUsage(
  idOrName: string,
  stage: KeyStage,
): Promise<CompleteOwner & { resetsToday: number }> {
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const deed = { command: 'owners reset-usage' };
  const today = new Date(stage.now()).toISOString().slice(0, 10);
  const earlier = (await readHistory(details.ownerId, stage)).filter(
    ({ command, at }) => command === deed.command && at.startsWith(today),
  );
  const change = { deed, item: { set: noUsage, where: { ownerHash: present } } };
  await changeOwner({ details }, change, stage);
  return { details, item: { ...item, ...noUsage }, resetsToday: earlier.length + 1 };
}
