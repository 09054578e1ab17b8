import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/**
 * What the files of a folder may import besides their own folder's. A file belongs to the longest
 * folder here that it is in. What deploys imports nothing from `tools/`, and `tools/local` knows the
 * template and the built assets only.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'lambdas/shared': [],
  lambdas: ['lambdas/shared'],
  'lib/settings': ['lambdas/shared'],
  lib: ['lambdas/shared', 'lib/settings'],
  bin: ['lib', 'lib/settings'],

  'tools/local': [],
  'tools/shared': ['lambdas/shared'],
  'tools/admin': ['lambdas/shared', 'lib/settings', 'tools/shared'],
  'tools/reference': ['lambdas/shared', 'lib/settings', 'tools/shared'],
  'tools/start': [
    'lambdas/shared',
    'lib/settings',
    'lib',
    'tools/shared',
    'tools/local',
    'tools/admin',
    'tools/reference',
  ],
  'tools/smoke': ['lambdas/shared', 'lib/settings', 'tools/shared'],
  'tools/bench': ['lambdas/shared', 'lib/settings', 'lib', 'tools/shared'],
  'tools/examples': [],
};

const folders = Object.keys(mayImport);
const scripts = globSync('{bin,lib,lambdas,tools}/**/*.{ts,js}').filter(
  (file) => !file.includes('/test/'),
);

describe('the folders', () => {
  it('import what the list allows, and nothing else', () => {
    const foreign = scripts.flatMap((file) => {
      const folder = folderOf(file);
      if (folder === undefined) return [`${file} is in no folder of test/layers.test.ts`];
      return importedFiles(file)
        .filter((imported) => ![folder, ...mayImport[folder]!].includes(folderOf(imported) ?? ''))
        .map((imported) => `${file} imports ${imported}: not allowed by test/layers.test.ts`);
    });

    expect(foreign).toEqual([]);
  });

  it('have files, all that stand in the list', () => {
    const found = new Set(scripts.map(folderOf));

    expect(folders.filter((folder) => !found.has(folder))).toEqual([]);
  });
});

describe('every file', () => {
  it('is imported by another one, or named where files are started or built', () => {
    const imported = new Set(scripts.flatMap(importedFiles));
    const starting = ['package.json', 'cdk.json', ...globSync('{*.md,docs/*.md}'), ...scripts];
    const texts = starting.map((file) => ({ file, text: readFileSync(file, 'utf8') }));

    const unused = scripts
      .filter((file) => !imported.has(file))
      .filter((file) => {
        const name = new RegExp(`['"\`/]${basename(file, extname(file))}(\\.[jt]s)?['"\`\\s]`);
        return !texts.some((other) => other.file !== file && name.test(other.text));
      })
      .map(
        (file) => `${file} is neither imported nor named in a script, package.json or a document`,
      );

    expect(unused).toEqual([]);
  });

  it('exports no function or value that no other file names, but in place of a package', () => {
    const all = [...scripts, ...globSync('{test,tools/*/test}/**/*.ts')];
    const words = new Map(
      all.map((file) => [file, new Set(readFileSync(file, 'utf8').match(/\w+/g))]),
    );

    const unused = scripts
      .filter((file) => !file.includes('/stubs/'))
      .flatMap((file) => exportedNames(file).map((name) => ({ file, name })))
      .filter(
        ({ file, name }) => !all.some((other) => other !== file && words.get(other)!.has(name)),
      )
      .map(({ file, name }) => `${name}, which ${file} exports, is used by no other file`);

    expect(unused).toEqual([]);
  });

  it('is not imported by what it imports', () => {
    const circles = scripts.filter((file) => reachedFrom(file).has(file));

    expect(circles).toEqual([]);
  });
});

function folderOf(file: string): string | undefined {
  const containing = folders.filter((folder) => file.startsWith(`${folder}/`));
  return containing.sort((one, other) => other.length - one.length)[0];
}

function exportedNames(file: string): string[] {
  const exported = /^export (?:async |abstract )*(?:const|function\*?|class) (\w+)/gm;
  return [...readFileSync(file, 'utf8').matchAll(exported)].map(([, name]) => name!);
}

const relativeImport = /(?:from|import|new URL)\s*\(?\s*['"`](\.\.?\/[^'"`$]+\.[jt]s)['"`]/g;

function importedFiles(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(relativeImport)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}

function reachedFrom(file: string): Set<string> {
  const reached = new Set(importedFiles(file));
  // A set goes on with what is added to it meanwhile.
  for (const each of reached) for (const next of importedFiles(each)) reached.add(next);
  return reached;
}
