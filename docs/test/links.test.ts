import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf, proseOf } from './markdown.ts';

const foldersOfOthers = ['node_modules', 'cdk.out'];
const documents = globSync('**/*.md', {
  exclude: (name) => foldersOfOthers.includes(name) || name.startsWith('.'),
}).sort();
const pages = new Map(documents.map((file) => [file, readFileSync(file, 'utf8')] as const));

/** The folders that `.gitignore` keeps out of the repository. */
const ignored = /^(\.|node_modules$|cdk\.out$)/;
const topFolders = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ignored.test(entry.name))
  .map(({ name }) => name);
const folders = [...topFolders, '.ci', '.github'].join('|').replaceAll('.', '\\.');
// A path such as `lib/settings/plans.ts`, in a folder of the repository and without placeholders.
const pathsInText = new RegExp(`(?<![\\w./@-])(?:${folders})/[\\w./-]*\\w(?![\\w*$<{])`, 'g');

const sources = globSync('{*,.ci/*,.github/**/*}')
  .concat(topFolders.flatMap((folder) => globSync(`${folder}/**/*`)))
  .filter((file) => /\.(ts|js|cjs|ya?ml)$|^\.ci\/./.test(file));

describe.each(documents)('%s', (document) => {
  const page = pages.get(document)!;

  it('links to files and headings that exist', () => {
    const broken = linksOf(page).filter((link) => isBroken(document, link));

    expect(broken.map((link) => `${document} links to ${link}, which does not exist`)).toEqual([]);
  });

  it('has a line between the head and the body of each table', () => {
    const tables = proseOf(page).match(/(?:^ *\|.*\n)+/gm) ?? [];

    expect(tables.filter((table) => !/^.*\n[-:| ]+\n/.test(table))).toEqual([]);
  });
});

it('the comments of the sources name paths that exist', () => {
  const unknown = sources.flatMap((file) =>
    commentsOf(readFileSync(file, 'utf8'))
      .flatMap((comment) => comment.match(pathsInText) ?? [])
      .filter((path) => !existsSync(path))
      .map((path) => `${file} names ${path}, which does not exist`),
  );

  expect(unknown).toEqual([]);
});

/** The lines that consist of a comment or a part of one. */
function commentsOf(source: string): string[] {
  return source.match(/^\s*(?:\/\/|\/\*|\*|#).*$/gm) ?? [];
}

function isBroken(document: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [path, anchor] = decodeURI(link).split('#');
  const target = path ? join(dirname(document), path) : document;
  if (!existsSync(target)) return true;
  if (anchor === undefined || !target.endsWith('.md')) return false;
  return !anchorsOf(pages.get(target) ?? '').includes(anchor);
}
