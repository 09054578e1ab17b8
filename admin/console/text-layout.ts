/** Rows under their headings, in columns as wide as they need to be. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  const lineOf = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map(lineOf).join('\n');
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
