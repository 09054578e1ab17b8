import { readFileSync } from 'node:fs';
import { explanations } from './survivors.ts';

/** The parts of Stryker's report that are used. */
export interface MutationReport {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>
  >;
}

interface ReportedMutant {
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** Both are counted from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** What mutation testing has found of a file. */
export interface FileScore {
  readonly file: string;
  readonly killed: number;
  readonly tried: number;
  /** Mutants that no test notices. */
  readonly survivors: readonly Survivor[];
}

/** A mutant that no test notices. */
export interface Survivor {
  readonly line: number;
  /** The source's line, without what is around it. */
  readonly code: string;
  /** The same with the change, whose end can be in a later line of the source. */
  readonly changed: string;
  /** Why it is left; undefined where nobody has said so. */
  readonly reason: string | undefined;
}

const killedStatuses = new Set(['Killed', 'Timeout']);
const survivingStatuses = new Set(['Survived', 'NoCoverage']);

export function readScores(reportFile: string): FileScore[] {
  return scoresOf(JSON.parse(readFileSync(reportFile, 'utf8')));
}

/** The scores of the files of a report. */
export function scoresOf({ files }: MutationReport): FileScore[] {
  return Object.entries(files).map(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    const killed = mutants.filter(({ status }) => killedStatuses.has(status)).length;
    const surviving = mutants.filter(({ status }) => survivingStatuses.has(status));
    const survivors = surviving.map((mutant) => {
      const { line } = mutant.location.start;
      const code = lines[line - 1]!.trim();
      const changed = changedLine(lines, mutant);
      const known = explanations.find(
        (each) => each.file === file && each.code === code && each.changed === changed,
      );
      return { line, code, changed, reason: known?.reason };
    });
    return { file, killed, tried: killed + surviving.length, survivors };
  });
}

function changedLine(lines: string[], { location, replacement = '' }: ReportedMutant): string {
  const { start, end } = location;
  const before = lines[start.line - 1]!.slice(0, start.column - 1);
  return `${before}${replacement}${lines[end.line - 1]!.slice(end.column - 1)}`.trim();
}

/** What is wrong with a score: a survivor that nobody has explained, or too many of them. */
export function scoreDifferences({ file, killed, tried, survivors }: FileScore): string[] {
  const unexplained = survivors.filter(({ reason }) => reason === undefined);
  const share = tried === 0 ? 1 : killed / tried;
  return [
    ...(share < leastShare ? [`${file}: ${killed} of ${tried} mutants are killed`] : []),
    ...unexplained.map(({ line, code, changed }) => {
      return `${file}:${line}: no test notices \`${changed}\` instead of \`${code}\``;
    }),
  ];
}

const leastShare = 0.9;
