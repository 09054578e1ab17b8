import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linksOf } from './markdown.ts';

const foldersOfOthers = ['node_modules', 'cdk.out'];
const files = globSync('**/*.md', {
  exclude: (name) => foldersOfOthers.includes(name) || name.startsWith('.'),
}).sort();

/** The texts of all pages by their files. */
export const pages: ReadonlyMap<string, string> = new Map(
  files.map((file) => [file, readFileSync(file, 'utf8')]),
);

/** A path such as `lib/settings/plans.ts`, or a command such as `./admin`. */
const path =
  /`((?:bin|docs|lambdas|lib|test|tools|\.ci|\.github)\/[\w./-]*)`|(?<=^|`)(\.\/[a-z]+)/gm;

/** The files, folders and commands of the repository that a page links to or names, and the anchors of its links. */
export function placesIn(file: string): { place: string; anchor: string | undefined }[] {
  const page = pages.get(file)!;
  const linked = linksOf(page)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [target, anchor] = decodeURI(link).split('#');
      return { place: target ? join(dirname(file), target) : file, anchor };
    });
  const named = [...page.matchAll(path)].map(([, written, command]) => (written ?? command)!);
  return [...linked, ...named.map((place) => ({ place, anchor: undefined }))];
}
