import { type Field, recordText, tableText } from '../console/view.ts';
import type { HistoryRecord } from '../stored/history.ts';

/** Formats changes: on a terminal as paragraphs, because a change can be wider than any terminal. */
export function historyText(history: readonly HistoryRecord[], isTerminal: boolean): string {
  if (!isTerminal) return tableText(historyFields, history, noChanges);
  const paragraphs = history.map((record) => recordText(historyFields, record));
  return paragraphs.join('\n\n') || noChanges;
}

const noChanges = 'There are no changes.';

const historyFields: readonly Field<HistoryRecord>[] = [
  { name: 'when', of: ({ at }) => at },
  { name: 'who', of: ({ by }) => by },
  { name: 'command', of: ({ command }) => command },
  { name: 'keys', of: ({ keyIds }) => keyIds?.join(' ') ?? null },
  { name: 'changes', of: changesText },
];

function changesText({ changes = {} }: HistoryRecord): string | null {
  const texts = Object.entries(changes).map(
    ([field, { from, to }]) => `${field} ${from ?? 'none'} → ${to ?? 'none'}`,
  );
  // Sorted, because DynamoDB does not keep the order of a map's entries.
  return texts.sort().join(', ') || null;
}
