import { cutTo, displayWidth } from './display-width.ts';
import { printable } from './printable.ts';

/** A column of a table. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Whether a wide cell may be cut where space is short: never what somebody copies. */
  readonly isCuttable?: boolean;
}

const gap = '  ';
const indent = '  ';
/** No cuttable column takes more where space is short. */
const cutWidth = 24;

/**
 * Rows under their headings, in columns as wide as they need to be. Where that is wider than the
 * terminal, long names are cut; and where that is still too wide, a row takes several lines, all of
 * them in columns.
 *
 * @param width the terminal's columns; without a limit where a program reads
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

/** Which columns stand in the first line of a row, in the second, and so on. */
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

/** Names and values, one pair a line. */
export function pairs(entries: [string, string][]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** `1234567` as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `n` and a noun in its number. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
