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
  readonly location: { readonly start: { readonly line: number } };
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
  readonly replacement: string;
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
    const survivors = surviving.map(({ location, replacement = '' }) => {
      const { line } = location.start;
      const code = lines[line - 1]!.trim();
      const known = explanations.find(
        (each) => each.file === file && each.code === code && each.replacement === replacement,
      );
      return { line, code, replacement, reason: known?.reason };
    });
    return { file, killed, tried: killed + surviving.length, survivors };
  });
}

/** What is wrong with a score: a survivor that nobody has explained, or too many of them. */
export function scoreDifferences({ file, killed, tried, survivors }: FileScore): string[] {
  const unexplained = survivors.filter(({ reason }) => reason === undefined);
  const share = tried === 0 ? 1 : killed / tried;
  return [
    ...(share < leastShare ? [`${file}: ${killed} of ${tried} mutants are killed`] : []),
    ...unexplained.map(({ line, code, replacement }) => {
      return `${file}:${line}: no test notices ${JSON.stringify(replacement)} in ${JSON.stringify(code)}`;
    }),
  ];
}

const leastShare = 0.9;
