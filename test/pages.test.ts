import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from '@jest/globals';
import { expectContained } from './helpers/agreement.ts';

const foldersOfOthers = ['node_modules', 'cdk.out'];
const pages = globSync('**/*.md', {
  exclude: (name) => foldersOfOthers.includes(name) || name.startsWith('.'),
}).sort();
/** What CI runs, if it is here: a service of one's own can have other checks. */
const checks = globSync(['.ci/*', '.github/workflows/*']);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The target of a link, without its heading. Addresses of other sites contain a colon. */
const link = /\]\(([^)#:\s]+)(?:#[^)]*)?\)/g;
/** A path such as `lib/settings/plans.ts` in a folder that is here, or that a service of one's own may lack. */
const path = /`((?:bin|docs|lambdas|lib|test|tools|\.ci|\.github)\/[\w./-]*)`/g;
/** A command such as `./admin`. */
const executable = /(?<=^|`)(\.\/[a-z]+)/gm;
const script = /\bnpm (?:run (?:--silent )?(?=[a-z])|(?=start\b|test\b))([\w:-]+)/g;

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('names files, folders and commands that exist', () => {
    const links = named(text, link).map((target) => join(dirname(page), decodeURI(target)));
    const paths = [...links, ...named(text, path), ...named(text, executable)];

    const existing = paths.filter((each) => existsSync(each));

    expectContained([page, paths], ['the repository', existing]);
  });
});

it.each([...pages, ...checks])('%s names scripts that exist', (file) => {
  const names = named(readFileSync(file, 'utf8'), script);

  expectContained([file, names], ['package.json, scripts', Object.keys(scripts)]);
});

/** What a pattern's group matches in a text. */
function named(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!);
}
