import { type FigureName, type Figures, type Findings, round, targets } from './figures.ts';

/**
 * The findings as text for people: what was measured, then each figure beside its target.
 *
 * @param isQuick of a run that shows that it works, not how fast: no figure is held to its target
 */
export function renderFindings(
  { title, measurements, figures }: Findings,
  isQuick = false,
): string {
  const measured = measurements.map(({ what, value, unit }) => [what, `${shown(value)} ${unit}`]);
  const compared = Object.entries(figures).map(([name, value]) => [
    name,
    isQuick ? shown(value) : `${shown(value)}${verdict(name as FigureName, value)}`,
  ]);
  return [`\n${title}`, ...alignColumns([...measured, ...compared])].join('\n');
}

/** The one line for machines, in the order of `targets`. */
export function renderJson(findings: Findings[]): string {
  const found: Figures = Object.assign({}, ...findings.map(({ figures }) => figures));
  const names = (Object.keys(targets) as FigureName[]).filter((name) => found[name] !== undefined);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, round(found[name]!)])));
}

function verdict(name: FigureName, value: number): string {
  const target = targets[name];
  if (target === undefined) return '';
  return value <= target ? `  (target ${target})` : `  (MISSES its target of ${target})`;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function alignColumns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([label]) => label!.length));
  return rows.map(([label, value]) => `  ${label!.padEnd(width)}  ${value}`);
}
