import type { Field } from '../console/view.ts';
import type { HistoryRecord } from '../stored/history.ts';

/** The columns of a history. */
export const historyFields: readonly Field<HistoryRecord>[] = [
  { name: 'when', of: ({ at }) => at },
  { name: 'who', of: ({ by }) => by },
  { name: 'command', of: ({ command }) => command },
  { name: 'keys', of: ({ keyIds }) => keyIds?.join(' ') ?? null },
  { name: 'changes', of: changesText },
];

/** The last change of an owner or of a key, in its record. */
export const lastChangeField: Field<{ readonly lastChange: HistoryRecord | null }> = {
  name: 'last change',
  of: ({ lastChange }) =>
    lastChange && `${lastChange.at}, ${lastChange.command} by ${lastChange.by}`,
};

function changesText({ changes = {} }: HistoryRecord): string | null {
  const texts = Object.entries(changes).map(
    ([field, { from, to }]) => `${field} ${from ?? 'none'} → ${to ?? 'none'}`,
  );
  // DynamoDB does not keep the order of a map.
  return texts.sort().join(', ') || null;
}
