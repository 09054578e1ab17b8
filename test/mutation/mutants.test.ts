import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type MutationReport, scoreDifferences, scoresOf } from './mutants.ts';
import { explanations } from './survivors.ts';
import { testsOf } from './tests-of.ts';

const [known] = explanations;

/** The scores of a file with mutants of these statuses, all of them the same in its only line. */
function differencesOf(statuses: string[], source = known!.code, replacement = known!.changed) {
  const location = { start: { line: 1, column: 1 }, end: { line: 1, column: source.length + 1 } };
  const mutants = statuses.map((status) => ({ status, replacement, location }));
  const report: MutationReport = { files: { [known!.file]: { source, mutants } } };
  return scoresOf(report).flatMap(scoreDifferences);
}

describe('the score of a file', () => {
  const killed = Array<string>(9).fill('Killed');

  it('is good enough when nine of ten mutants are killed, and the other is explained', () => {
    expect(differencesOf([...killed, 'Survived', 'CompileError', 'Ignored'])).toEqual([]);
  });

  it('is not when more of them survive, or no test reaches them', () => {
    expect(differencesOf([...killed, 'Survived', 'NoCoverage'])).toEqual([
      `${known!.file}: 9 of 11 mutants are killed`,
    ]);
  });

  it('is not when a survivor has no explanation, as after a change of its line', () => {
    expect(differencesOf([...killed, 'Survived'], 'const other = 1;')).toHaveLength(1);
  });

  it('is not when the explanation is that of another change of the same line', () => {
    expect(differencesOf([...killed, 'Survived'], known!.code, 'const other = 1;')).toEqual([
      `${known!.file}:1: no test notices \`const other = 1;\` instead of \`${known!.code}\``,
    ]);
  });
});

describe('an explanation of a survivor', () => {
  it.each(explanations.map(({ file, code }) => [file, code]))(
    'is of a line that there is, in %s: %s',
    (file, code) => {
      const lines = readFileSync(file, 'utf8').split('\n');

      expect(lines.map((line) => line.trim())).toContain(code);
    },
  );
});

describe('the tests of a file', () => {
  it('are those that have its name, without those that start servers', () => {
    expect(testsOf('lambdas/cancel-order.ts')).toEqual(['test/lambdas/cancel-order.test.ts']);
  });

  it('are those of its folder when none has its name', () => {
    expect(testsOf('lambdas/shared/unheard-of.ts')).toContain(
      'test/lambdas/shared/order-id.test.ts',
    );
  });
});
