import { printable } from '../../shared/printable.ts';

/** What is printed of an owner, a key or another record: values by their names, in this sequence. */
type Row = Readonly<Record<string, string | number | null>>;

const gap = '  ';

/** Formats one record, with a value on each line. Values that are null are left out. */
export function recordText(row: Row): string {
  const present = Object.entries(row).filter(([, value]) => value !== null);
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}${gap}${textOf(value)}`).join('\n');
}

/**
 * Formats records as a table, whose headings are the names in capital letters. The columns fit into 80 characters,
 * except for names and labels, which are in the last columns. Numbers are aligned to the right.
 *
 * @param none the text if there are no records
 */
export function tableText(rows: readonly Row[], none = ''): string {
  const columns = Object.keys(rows[0] ?? {}).map((name) => {
    const values = rows.map((row) => row[name]!);
    const cells = [name.toUpperCase(), ...values.map((value) => printable(textOf(value)))];
    const width = Math.max(...cells.map((cell) => cell.length));
    const isNumber = values.some((value) => typeof value === 'number');
    return cells.map((cell) => (isNumber ? cell.padStart(width) : cell.padEnd(width)));
  });
  const lines = [undefined, ...rows].map((_, index) =>
    columns.map((cells) => cells[index]).join(gap),
  );
  return rows.length === 0 ? none : lines.map((line) => line.trimEnd()).join('\n');
}

function textOf(value: string | number | null): string {
  return typeof value === 'number' ? grouped(value) : (value ?? '-');
}

/** Formats a number with separators: 1234567 becomes `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
