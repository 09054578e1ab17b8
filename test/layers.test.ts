import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { differences } from './helpers/differences.ts';
import { topFolders } from './helpers/top-folders.ts';

/**
 * Which folder may import which. Each line lists all that a folder may import besides itself; every
 * folder that it names stands further up, so that there can be no circle. A folder whose files are
 * in subfolders has a line for its own files and one for each subfolder.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'lambdas/shared': [],
  'lambdas/authorizer': ['lambdas/shared'],
  'lambdas/list-orders': ['lambdas/shared'],
  lambdas: ['lambdas/shared', 'lambdas/authorizer', 'lambdas/list-orders'],

  'lib/settings': ['lambdas/shared'],
  'lib/functions': ['lib/settings'],
  'lib/api': ['lambdas/shared', 'lib/settings'],
  'lib/monitoring': ['lambdas/shared', 'lib/settings'],
  lib: ['lib/settings', 'lib/functions', 'lib/api', 'lib/monitoring'],

  'local/template': [],
  'local/iam': ['local/template'],
  'local/dynamodb': ['local/template', 'local/iam'],
  'local/functions': ['local/template'],
  'local/exchange': ['local/template'],
  'local/integrations': ['local/template', 'local/functions', 'local/exchange'],
  'local/gateway': [
    'local/template',
    'local/iam',
    'local/functions',
    'local/exchange',
    'local/integrations',
  ],
  'local/control-plane': ['local/template', 'local/exchange', 'local/gateway'],
  'local/state': ['local/template', 'local/gateway', 'local/control-plane'],
  local: [
    'local/template',
    'local/dynamodb',
    'local/functions',
    'local/exchange',
    'local/gateway',
    'local/control-plane',
    'local/state',
  ],

  shared: ['lambdas/shared'],
  'admin/console': ['shared', 'lib/settings'],
  'admin/stage': ['shared', 'lib/settings', 'admin/console'],
  'admin/owners': ['shared', 'lambdas/shared', 'lib/settings', 'admin/console', 'admin/stage'],
  'admin/keys': [
    'shared',
    'lambdas/shared',
    'lib/settings',
    'admin/console',
    'admin/stage',
    'admin/owners',
  ],
  'admin/orders': ['shared', 'lambdas/shared', 'admin/console', 'admin/stage'],
  admin: [
    'shared',
    'lib/settings',
    'admin/console',
    'admin/stage',
    'admin/owners',
    'admin/keys',
    'admin/orders',
  ],

  'reference/page': ['lambdas/shared'],
  reference: ['shared', 'admin/stage'],
  'demo/watch': ['shared', 'lib/settings', 'lib/functions', 'local/functions', 'local'],
  demo: [
    'shared',
    'lambdas/shared',
    'lib/settings',
    'local/template',
    'local/dynamodb',
    'local/control-plane',
    'local/state',
    'local',
    'admin/console',
    'admin/stage',
    'admin/owners',
    'admin/keys',
    'admin/orders',
    'demo/watch',
    'reference',
  ],

  'smoke/stage': ['lambdas/shared', 'lib/settings', 'shared'],
  'smoke/checks': ['shared', 'lambdas/shared', 'lib/settings', 'smoke/stage'],
  smoke: ['shared', 'lambdas/shared', 'lib/settings', 'smoke/stage', 'smoke/checks'],

  'bench/peers': ['lambdas/shared'],
  bench: ['shared', 'lambdas/shared', 'lib/settings', 'lib/functions'],

  examples: [],
  bin: ['shared', 'lib', 'lib/settings', 'lib/functions', 'admin', 'demo', 'reference', 'smoke'],
};

const folders = Object.keys(mayImport);

/** All scripts but those of the tests, which may import everything. */
const scripts = topFolders.filter((folder) => folder !== 'test').flatMap(scriptsIn);

describe('the folders', () => {
  it.each(folders)('%s imports only what stands above it in the list', (folder) => {
    const later = mayImport[folder]!.filter(
      (imported) => folders.indexOf(imported) >= folders.indexOf(folder),
    );

    expect(later).toEqual([]);
  });

  it.each(folders)('%s imports what the list allows, and nothing else', (folder) => {
    const foreign = sources(folder).flatMap((file) =>
      importedFiles(file)
        .filter((imported) => !isAllowed(folder, dirname(imported)))
        .map((imported) => `${file} imports ${imported}: not allowed by test/layers.test.ts`),
    );

    expect(foreign).toEqual([]);
  });

  it('stand in the list, all of them', () => {
    const found = scripts.map(ownFolder);

    expect(
      differences(['the repository', found], ['test/layers.test.ts, mayImport', folders]),
    ).toEqual([]);
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
});

/** The line that a file falls under: stubs of a folder are part of it. */
function ownFolder(file: string): string {
  const folder = dirname(file);
  return folders.includes(folder) || dirname(folder) === '.' ? folder : dirname(folder);
}

function sources(folder: string): string[] {
  return scriptsIn(folder).filter((file) => ownFolder(file) === folder);
}

function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => join(folder, file));
}

const relativeImport = /(?:from|import|new URL)\s*\(?\s*['"`](\.\.?\/[^'"`$]+\.[jt]s)['"`]/g;

function importedFiles(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(relativeImport)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}

function isAllowed(folder: string, imported: string): boolean {
  return (
    imported === folder ||
    imported.startsWith(`${folder}/`) ||
    mayImport[folder]!.includes(imported)
  );
}
