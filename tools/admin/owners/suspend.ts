import { asOption, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { differences } from '../store/history.ts';
import { changeOwner } from '../store/owner-change.ts';
import { findCompleteOwner } from '../store/owners.ts';
import type { CompleteOwner, OwnerItem } from '../store/stored-owner.ts';
import { changedOwner } from './owner-view.ts';

export const suspend: Verb = {
  usage: 'suspend <owner>',
  description: 'reject all further requests of an owner, until "./admin owners resume"',
  options: [yesOption, asOption],
  examples: ['owners suspend "Acme Ltd" --stage prod'],
  run: async ({ stage, confirm }, idOrName) => {
    const { details, item } = await findCompleteOwner(idOrName!, stage);
    const { name, ownerId } = details;
    const keys = counted(Object.keys(item.keys).length, 'key');
    await confirm(
      `Suspend ${name} (${ownerId})? Its ${keys} will be refused from the next request on, until ` +
        `"./admin owners resume ${ownerId}".`,
    );
    return changedOwner(stage, () => setOwnerStatus(ownerId, 'suspended', stage));
  },
};

/** Suspends or resumes an owner. The keys' bans do not change. @throws OperatorError if the owner is not complete */
export async function setOwnerStatus(
  idOrName: string,
  status: OwnerItem['status'],
  stage: KeyStage,
): Promise<CompleteOwner> {
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const before = { status: item.status };
  if (item.status === status) return { details, item };
  const command = status === 'active' ? 'owners resume' : 'owners suspend';
  const deed = { command, changes: differences(before, { status }) };
  await changeOwner({ details }, { deed, item: { set: { status }, where: before } }, stage);
  return { details, item: { ...item, status } };
}
