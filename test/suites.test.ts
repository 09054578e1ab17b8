import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { missing } from './helpers/differences.ts';

/*
 * Which script runs which test: `npm test` those that need no other process, `npm run test:commands`
 * those that start a command as people do, and the others what stands in their folders.
 */

interface Configuration {
  readonly testMatch: readonly string[];
  readonly testPathIgnorePatterns: readonly string[];
}

interface Source {
  readonly imports: readonly string[];
  readonly startsProcesses: boolean;
}

const root = join(import.meta.dirname, '..');
// Types are erased, and import nothing.
const relativeImport =
  /^(?!import type|export type).*\b(?:from|import)\s*\(?\s*'(\.\.?\/[^'$]+\.[cm]?[jt]s)'/gm;
const sources = new Map<string, Source>();
const files = globSync('test/**/*.test.ts', { cwd: root });

// The one of mutation testing chooses among the tests of `npm test`.
const configurationFiles = globSync('jest*.config.js', { cwd: root }).filter(
  (file) => !file.includes('mutation'),
);
const configurations = await Promise.all(
  configurationFiles.map(async (file): Promise<[string, Configuration]> => {
    const module = await import(pathToFileURL(join(root, file)).href);
    return [file, module.default];
  }),
);

/**
 * What tests of `npm test` may reach that starts other processes, and why: a test, or a module that
 * any of them may use.
 */
const reasons: Readonly<Record<string, string>> = {
  'local/dynamodb/embedded-dynamodb.ts': 'The database of a service in this process is a program.',
  'test/admin/completion.test.ts':
    'A shell completes the words, and nothing else does it as it does.',
  'test/demo/synthesis.test.ts': 'It is what starts the synthesis.',
  'test/lambdas/list-orders/young-generation.test.ts': 'An option of a whole process is set.',
  'test/shared/make-directory.test.ts': 'A call that never returned could not be ended otherwise.',
  'test/local/dynamodb/embedded-dynamodb.test.ts': 'The process that has the database is killed.',
  'test/local/state/data-directory.test.ts': 'The process that has the directory is killed.',
};

describe('every test', () => {
  it.each(files)('is run by one script: %s', (file) => {
    const running = configurations.filter(([, configuration]) => runs(configuration, file));

    expect(running).toHaveLength(1);
  });
});

describe('each kind of tests', () => {
  it('has a script, which CI runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const steps = readFileSync(join(root, '.ci/run'), 'utf8').match(/(?<=\bstep npm run )\S+/g)!;
    const commands = steps.map((script) => scripts[script] ?? '');

    const run = commands.map((command) => /--config (\S+)/.exec(command)?.[1] ?? '');

    // Without an option, it is the one of `npm test`.
    const named = configurationFiles.filter((file) => file !== 'jest.config.js');
    expect(
      missing(['the repository', named], ['.ci/run, by a script of package.json,', run]),
    ).toEqual([]);
  });
});

describe('npm test', () => {
  const [, own] = configurations.find(([file]) => file === 'jest.config.js')!;
  const tests = files.filter((file) => runs(own, file));
  const starting = new Map(tests.map((test) => [test, processStarters(test)]));

  it.each(tests)('starts no process, which a *.command.test.ts may: %s', (test) => {
    const unexplained = starting.get(test)!.filter((file) => !reasons[file]);

    expect(reasons[test] ? [] : unexplained).toEqual([]);
  });

  it.each(Object.keys(reasons))('has a reason for what starts a process, and does: %s', (file) => {
    const found = [...starting].flatMap(([test, starters]) =>
      starters.length > 0 ? [test, ...starters] : [],
    );

    expect(found).toContain(file);
  });
});

function runs({ testMatch, testPathIgnorePatterns }: Configuration, file: string): boolean {
  return (
    testMatch.some((glob) => matchesGlob(file, glob.replace('<rootDir>/', ''))) &&
    !testPathIgnorePatterns.some((pattern) =>
      new RegExp(pattern.replace('<rootDir>/', '^')).test(file),
    )
  );
}

/** The files that can start a process among all that a test imports, itself included. */
function processStarters(test: string): string[] {
  const reached = new Set([test]);
  // A set goes on with what is added to it meanwhile.
  for (const file of reached) for (const imported of sourceOf(file).imports) reached.add(imported);
  return [...reached].filter((file) => sourceOf(file).startsProcesses);
}

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known) return known;
  const text = readFileSync(join(root, file), 'utf8');
  const source = {
    imports: [...text.matchAll(relativeImport)].map(([, path]) => join(dirname(file), path!)),
    startsProcesses: /from '(?:node:)?child_process'/.test(text),
  };
  sources.set(file, source);
  return source;
}
