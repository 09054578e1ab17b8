import { globSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { missing } from '../../test/helpers/differences.ts';
import { importedFiles } from '../../test/helpers/imports.ts';

/* These tests are here because a file can be used by a tool only, or named in a document only. */

const scripts = globSync('{bin,lib,lambdas,tools}/**/*.{ts,js}').filter(
  (file) => !file.includes('/test/'),
);

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

  it('exports no function or value that no other file names, unless it replaces a package', () => {
    const all = [...scripts, ...globSync('{test,docs/test,tools/*/test}/**/*.ts')];
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
});

it('every number of a plan is used', () => {
  const place = 'lib/settings/plans.ts';
  const others = scripts.filter((file) => file !== place);

  const words = others.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []);

  expect(missing([place, Object.keys(plans.free)], ['every other file', words])).toEqual([]);
});

function exportedNames(file: string): string[] {
  const exported = /^export (?:async |abstract )*(?:const|function\*?|class) (\w+)/gm;
  return [...readFileSync(file, 'utf8').matchAll(exported)].map(([, name]) => name!);
}
