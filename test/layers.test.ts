import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from '@jest/globals';

/*
 * The service consists of `bin`, `lib`, `lambdas` and `test`. They import nothing else, so a team that starts from it
 * can delete all tools. A team that deletes only some tools has to know: the local run and the acceptance run (in
 * `smoke`) need `admin`, and the tests of `admin`, `smoke` and `examples` need the local run.
 */

/** The rooms of `lambdas` in their order: each imports only rooms before it. */
const rooms = ['contract', 'runtime', 'keys', 'http', 'orders'].map((room) => `lambdas/${room}`);
/** What the service and all tools may import. */
const shared = [...rooms, 'lib/settings'];
const service = [...shared, 'lambdas', 'lib', 'bin'];

/**
 * The folders that each folder may import besides itself. A file belongs to the longest matching
 * folder. `tools/local/aws` knows only the template and the built assets.
 */
const sources: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(rooms.map((room, index) => [room, rooms.slice(0, index)])),
  lambdas: rooms,
  'lib/settings': rooms,
  lib: shared,
  bin: ['lib', 'lib/settings'],

  'tools/local/aws': ['tools/shared'],
  'tools/local/page': [...shared, 'tools/local/aws'],
  'tools/shared': shared,
  'tools/admin': [...shared, 'tools/shared'],
  'tools/local': [
    ...shared,
    'lib',
    'tools/shared',
    'tools/local/aws',
    'tools/local/page',
    'tools/admin',
  ],
  // The acceptance run tries the operators' commands.
  'tools/smoke': [...shared, 'test', 'tools/shared', 'tools/admin'],
  // The benchmark measures the functions with the tests' double of DynamoDB.
  'tools/bench': [...shared, 'lib', 'test'],
  'tools/examples': [],
};
const tools = Object.keys(sources).filter((folder) => /^tools\/[^/]+$/.test(folder));
const testsOfTools = tools.map((folder) => `${folder}/test`);
const everything = [...Object.keys(sources), 'test', ...testsOfTools, 'tools/local/test/aws'];

const mayImport: Readonly<Record<string, readonly string[]>> = {
  ...sources,
  test: service,
  ...Object.fromEntries(testsOfTools.map((folder) => [folder, everything])),
  'tools/local/test/aws': ['tools/local/aws', 'test'],
};

const relativeImport =
  /(?:from|import|new URL)\s*\(?\s*['"`](\.\.?\/[^'"`$]+\.[jt]s)(?:\?[^'"`]*)?['"`]/g;

const folders = Object.keys(mayImport);
const scripts = globSync('{bin,lib,lambdas,test,tools}/**/*.{ts,js,cjs}');

it('The folders import only what the list allows', () => {
  const foreign = scripts.flatMap((file) => {
    const folder = folderOf(file);
    if (folder === undefined) return [`${file} is in no folder of test/layers.test.ts`];
    return importedFiles(file)
      .filter((imported) => ![folder, ...mayImport[folder]!].includes(folderOf(imported) ?? ''))
      .map((imported) => `${file} imports ${imported}: not allowed by test/layers.test.ts`);
  });

  expect(foreign).toEqual([]);
});

it('lib and the tools import nothing that reads variables of a function as it is loaded', () => {
  const functionFiles = scripts.filter((file) => file.startsWith('lambdas/'));
  const readers = functionFiles.filter((file) =>
    readFileSync(file, 'utf8').includes('process.env'),
  );
  const needVariables = new Set([
    ...readers,
    ...functionFiles.filter((file) => readers.some((reader) => reachedFrom(file).has(reader))),
  ]);

  const wrong = scripts
    .filter((file) => /^(lib|tools)\//.test(file) && !file.includes('/test/'))
    .flatMap((file) => importedFiles(file).map((imported) => [file, imported] as const))
    .filter(([, imported]) => needVariables.has(imported))
    .map(([file, imported]) => `${file} imports ${imported}, which needs a function's variables`);

  expect(readers).not.toEqual([]);
  expect(wrong).toEqual([]);
});

function folderOf(file: string): string | undefined {
  const containing = folders.filter((folder) => file.startsWith(`${folder}/`));
  return containing.sort((one, other) => other.length - one.length)[0];
}

function reachedFrom(file: string): Set<string> {
  const reached = new Set(importedFiles(file));
  // This reaches all files, because an iteration over a set includes the values that are added during it.
  for (const each of reached) for (const next of importedFiles(each)) reached.add(next);
  return reached;
}

/** The paths of the files that a file imports, or otherwise loads by a path relative to its own. */
function importedFiles(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(relativeImport)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}
