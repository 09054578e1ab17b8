import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { differences } from '../../helpers/differences.ts';

const sources = globSync('lambdas/**/*.ts').map((file) => readFileSync(file, 'utf8'));

/** The first group of each match in the sources of the functions. */
function found(pattern: RegExp): string[] {
  return sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!));
}

it('every class that extends Error sets its name, because the minifier shortens class names', () => {
  const classes = found(/\bclass (\w+) extends Error\b/g);

  const named = found(/\bclass (\w+) extends Error \{\n[^{}]* override readonly name = '\1';\n/g);

  expect(classes).not.toEqual([]);
  expect(
    differences(['lambdas/, classes of errors', classes], ['lambdas/, literals for `name`', named]),
  ).toEqual([]);
});
