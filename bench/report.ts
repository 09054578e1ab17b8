import { type FigureName, type Figures, type Findings, round, targets } from './figures.ts';

/**
 * Renders the findings as text: the measurements, then each figure with its target.
 *
 * @param isQuick leaves the targets out, because the figures of a quick run mean nothing
 */
export function renderFindings(
  { title, measurements, figures }: Findings,
  isQuick = false,
): string {
  const measured = measurements.map(({ what, value, unit }) => [
    what,
    `${formatted(value)} ${unit}`,
  ]);
  const compared = Object.entries(figures).map(([name, value]) => [
    name,
    isQuick ? formatted(value) : `${formatted(value)}${targetNote(name as FigureName, value)}`,
  ]);
  return [`\n${title}`, ...alignColumns([...measured, ...compared])].join('\n');
}

/** Renders the figures as one line of JSON, in the order of `targets`. */
export function renderJson(findings: Findings[]): string {
  const found: Figures = Object.assign({}, ...findings.map(({ figures }) => figures));
  const names = (Object.keys(targets) as FigureName[]).filter((name) => found[name] !== undefined);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, round(found[name]!)])));
}

function targetNote(name: FigureName, value: number): string {
  const target = targets[name];
  if (target === undefined) return '';
  return value <= target ? `  (target ${target})` : `  (MISSES its target of ${target})`;
}

function formatted(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function alignColumns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([label]) => label!.length));
  return rows.map(([label, value]) => `  ${label!.padEnd(width)}  ${value}`);
}
