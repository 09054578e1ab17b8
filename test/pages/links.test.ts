import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf } from './markdown.ts';
import { pages, placesIn } from './pages.ts';

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

describe.each([...pages])('%s', (file, _page) => {
  it('names files, folders, commands and headings that exist', () => {
    // Places in tools/ have a test there, because a service can be without tools.
    const places = placesIn(file).filter(({ place }) => !place.startsWith('tools/'));
    const missing = places.filter(
      ({ place, anchor }) => !existsSync(place) || !hasAnchor(place, anchor),
    );

    expect(missing.map(({ place, anchor = '' }) => `${file} names ${place} ${anchor}`)).toEqual([]);
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

function hasAnchor(place: string, anchor: string | undefined): boolean {
  return (
    anchor === undefined || !place.endsWith('.md') || anchorsOf(pages.get(place)!).includes(anchor)
  );
}
