import stringWidth from 'string-width';
import { printable } from '../../shared/printable.ts';

/** A printed field of a record, such as an owner or a key. */
export interface Field<View> {
  /** The name before the value; in capital letters, the heading of its column. */
  readonly name: string;
  readonly of: (view: View) => string | null;
  /** @default - in both */
  readonly only?: 'record' | 'table';
  /** Whether a narrow terminal may cut the column's values. A cut name is useful, a cut id is not. @default false */
  readonly isCuttable?: boolean;
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
 * Formats records as a table with headings. If the table is wider than the terminal, its last columns are left out, and
 * a note names them.
 *
 * @param none the text if there are no records
 * @param columns the width of the terminal. @default - unlimited, as in a pipe
 */
export function tableText<View>(
  fields: readonly Field<View>[],
  views: readonly View[],
  none = '',
  columns = Number.POSITIVE_INFINITY,
): string {
  if (views.length === 0) return none;
  const all = fields.filter(({ only }) => only !== 'record').map((field) => columnOf(field, views));
  const shown = [...all];
  while (shown.length > 1 && leastWidthOf(shown) > columns) shown.pop();
  let spare = Math.max(0, columns - leastWidthOf(shown));
  const texts = shown.map((column) => {
    const width = Math.min(column.width, column.least + spare);
    spare -= width - column.least;
    return column.cells.map((cell) => padded(cut(cell, width), width, column.isNumber));
  });
  const lines = [undefined, ...views].map((_, row) => texts.map((cells) => cells[row]).join(gap));
  const left = all.slice(shown.length).map(({ cells: [name] }) => name);
  const note = `\nLeft out: ${left.join(', ')} (--json has them)`;
  return [...lines.map((line) => line.trimEnd()), ...(left.length > 0 ? [note] : [])].join('\n');
}

const leastCutWidth = 12;

/** A column with its heading. `least` is the width to which it can be cut. */
function columnOf<View>(field: Field<View>, views: readonly View[]) {
  const { name, of, isNumber = false, isCuttable } = field;
  const cells = [name.toUpperCase(), ...views.map((view) => printable(of(view) ?? '-'))];
  const width = Math.max(...cells.map((cell) => stringWidth(cell)));
  return {
    cells,
    isNumber,
    width,
    least: isCuttable ? Math.min(width, leastCutWidth) : width,
  };
}

function leastWidthOf(columns: readonly { least: number }[]): number {
  return columns.reduce((sum, { least }) => sum + least + gap.length, -gap.length);
}

function cut(cell: string, width: number): string {
  if (stringWidth(cell) <= width) return cell;
  let text = '';
  for (const character of cell) {
    if (stringWidth(text + character) >= width) break;
    text += character;
  }
  return `${text}…`;
}

function padded(cell: string, width: number, isNumber: boolean): string {
  const padding = ' '.repeat(width - stringWidth(cell));
  return isNumber ? padding + cell : cell + padding;
}

/** Formats a number with separators: 1234567 becomes `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats Unix seconds in ISO 8601, without a fraction. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}
