import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { asOption, type Verb } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { NameTakenError } from '../store/errors.ts';
import { differences } from '../store/history.ts';
import { changeOwner } from '../store/owner-change.ts';
import { findOwner, lookUpOwner, ownerName } from '../store/owners.ts';
import type { StoredOwner } from '../store/stored-owner.ts';
import { changedOwner } from './owner-view.ts';

export const rename: Verb = {
  usage: 'rename <owner> <name>',
  description: 'give an owner another name',
  options: [asOption],
  examples: ['owners rename "Acme Ltd" "Acme Pets" --stage prod'],
  run: async ({ stage }, owner, name) =>
    changedOwner(stage, () => renameOwner(owner!, name!, stage)),
};

/** Renames an owner. @throws OperatorError if another owner has the name */
export async function renameOwner(
  idOrName: string,
  newName: string,
  stage: KeyStage,
): Promise<StoredOwner> {
  const name = ownerName(newName);
  const owner = await findOwner(idOrName, stage);
  const { ownerId, name: before } = owner.details;
  if (name === before) return owner;
  const change = {
    deed: { command: 'owners rename', changes: differences({ name: before }, { name }) },
    name,
    refusal: async () => {
      const holder = await lookUpOwner(name, stage);
      const isTaken = holder && holder.details.ownerId !== ownerId;
      return isTaken ? new NameTakenError(holder) : new ChangedMeanwhileError(ownerId);
    },
  };
  await changeOwner(owner, change, stage);
  return { ...owner, details: { ...owner.details, name } };
}
