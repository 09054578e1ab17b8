import type { Verb } from '../console/verb.ts';
import { recordText } from '../console/view.ts';
import { type HistoryRecord, readHistory } from '../store/history.ts';
import { isOwnerId } from '../store/identities.ts';
import { findOwner } from '../store/owners.ts';

export const history: Verb = {
  usage: 'history <owner>',
  description:
    'show the changes of an owner and its keys, with operator and time, the newest change first',
  help: `The history has the latest 180 changes. After an owner was deleted, its history
has only the deletion. You can still read this history, by the owner's id.`,
  examples: ['owners history "Acme Ltd" --stage prod'],
  run: async ({ stage }, idOrName = '') => {
    const ownerId = isOwnerId(idOrName)
      ? idOrName
      : (await findOwner(idOrName, stage)).details.ownerId;
    const records = await readHistory(ownerId, stage);
    if (records.length === 0) await findOwner(ownerId, stage);
    // DynamoDB does not keep the order of a map's entries.
    const value = records.map(({ at, by, command, ...rest }) => ({ at, by, command, ...rest }));
    const text = value.reverse().map(textOf).join('\n\n') || 'There are no changes.';
    return { value, text };
  },
};

function textOf(record: HistoryRecord): string {
  const { at: when, by: who, command, keyIds } = record;
  const keys = keyIds?.join(' ') ?? null;
  return recordText({ when, who, command, keys, changes: changesText(record) });
}

function changesText({ changes = {} }: HistoryRecord): string | null {
  const texts = Object.entries(changes).map(
    ([field, { from, to }]) => `${field} ${from ?? 'none'} → ${to ?? 'none'}`,
  );
  // Sorted, because DynamoDB does not keep the order of a map's entries.
  return texts.sort().join(', ') || null;
}
