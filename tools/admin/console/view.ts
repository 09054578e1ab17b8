import { printable } from '../../shared/printable.ts';

/** A printed field of a record, such as an owner or a key. */
export interface Field<View> {
  /** The name before the value. In a table, this name in capital letters is the heading of the column. */
  readonly name: string;
  readonly of: (view: View) => string | null;
  /** @default - in both */
  readonly only?: 'record' | 'table';
  /** Whether the column's values are aligned to the right. @default false */
  readonly isNumber?: boolean;
}

const gap = '  ';

/** Formats one record, with a field on each line. Fields without a value are left out. */
export function recordText<View>(fields: readonly Field<View>[], view: View): string {
  const present = fields
    .filter(({ only }) => only !== 'table')
    .map(({ name, of }) => ({ name, value: of(view) }))
    .filter(({ value }) => value !== null);
  const width = Math.max(...present.map(({ name }) => name.length));
  return present.map(({ name, value }) => `${name.padEnd(width)}${gap}${value}`).join('\n');
}

/**
 * Formats records as a table with headings. The columns fit into 80 characters, except for names and labels, which are
 * in the last columns.
 *
 * @param none the text if there are no records
 */
export function tableText<View>(
  fields: readonly Field<View>[],
  views: readonly View[],
  none = '',
): string {
  if (views.length === 0) return none;
  const columns = fields
    .filter(({ only }) => only !== 'record')
    .map(({ name, of, isNumber }) => {
      const cells = [name.toUpperCase(), ...views.map((view) => printable(of(view) ?? '-'))];
      const width = Math.max(...cells.map((cell) => cell.length));
      return cells.map((cell) => (isNumber ? cell.padStart(width) : cell.padEnd(width)));
    });
  const lines = [undefined, ...views].map((_, row) => columns.map((cells) => cells[row]).join(gap));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Formats a number with separators: 1234567 becomes `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
