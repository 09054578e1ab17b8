import { cutTo, displayWidth } from './display-width.ts';
import { printable } from './printable.ts';

/** A column of a table. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Whether cells may be shortened on a narrow terminal. Ids and times must stay complete. */
  readonly isCuttable?: boolean;
}

const gap = '  ';
const indent = '  ';
/** The width to which columns are shortened on a narrow terminal. */
const cutWidth = 24;

/**
 * Formats rows as a table with headings. If the table is wider than the terminal, the columns that
 * are cuttable are shortened. If it is still too wide, each row is wrapped to several lines.
 *
 * @param width the width of the terminal in columns. @default - no limit
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))));
  const lines = [columns.map(({ heading }) => heading), ...cells];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => displayWidth(line[column]!))),
  );
  if (totalWidth(widths) > width) {
    for (const [index, { isCuttable }] of columns.entries()) {
      if (isCuttable) widths[index] = Math.min(widths[index]!, cutWidth);
    }
  }
  const groups = columnsPerLine(widths, width);
  return lines
    .flatMap((line) =>
      groups.map((group, index) => (index > 0 ? indent : '') + rowOf(line, group, widths)),
    )
    .join('\n');
}

/** Distributes the columns over the lines of a row. */
function columnsPerLine(widths: readonly number[], width: number): number[][] {
  const groups: number[][] = [];
  let left = 0;
  for (const [column, needed] of widths.entries()) {
    left -= gap.length + needed;
    if (groups.length > 0 && left >= 0) groups.at(-1)!.push(column);
    else {
      left = width - needed - (groups.length > 0 ? indent.length : 0);
      groups.push([column]);
    }
  }
  return groups;
}

function rowOf(
  line: readonly string[],
  group: readonly number[],
  widths: readonly number[],
): string {
  return group
    .map((column) => {
      const cell = cutTo(line[column]!, widths[column]!);
      return cell + ' '.repeat(widths[column]! - displayWidth(cell));
    })
    .join(gap)
    .trimEnd();
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
}

/** Formats names and values, one pair per line. */
export function pairs(entries: [string, string][]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Formats a number with separators: 1234567 becomes `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
