import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { localCommand } from '../../demo/local-options.ts';
import { differences, missing } from '../helpers/differences.ts';
import { topFolders } from '../helpers/top-folders.ts';
import { rowsAfter } from './markdown.ts';

const page = readFileSync('README.md', 'utf8');
const otherDocuments = ['CONTRIBUTING.md', ...globSync('docs/*.md')];
const documents = [page, ...otherDocuments.map((file) => readFileSync(file, 'utf8'))].join('\n');

/** The scripts and workflows that run for every change, every night, or to deploy. */
const automation = ['.ci', '.github/workflows'].flatMap((folder) =>
  readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('README.md', () => {
  it('has a line for each folder, and for no other', () => {
    const described = rowsAfter('## Folders', page).map(([folder]) => folder!.replace('/', ''));

    expect(differences(['the repository', topFolders], ['README.md, Folders', described])).toEqual(
      [],
    );
  });

  it('links to every page of docs', () => {
    const linked = [...page.matchAll(/\((docs\/[\w-]+\.md)\)/g)].map(([, file]) => file!);

    expect(
      missing(['the repository', globSync('docs/*.md')], ['README.md, links', linked]),
    ).toEqual([]);
  });

  it('has every option of npm start, and no other', () => {
    const options = localCommand().options.map(({ long }) => long!);
    const described = rowsAfter('## Two commands', page).map(([option]) =>
      option!.replace(/[ [].*/, ''),
    );

    expect(
      differences(
        ['demo/local-options.ts', options],
        ['README.md, options after npm start --', described],
      ),
    ).toEqual([]);
  });

  it('has the default of each option that has a value', () => {
    const defaults = localCommand()
      .options.filter(({ defaultValue }) => !['boolean', 'undefined'].includes(typeof defaultValue))
      .map(({ long, defaultValue }) => `${long}: ${defaultValue}`);
    const described = rowsAfter('## Two commands', page).map(
      (cells) => `${cells[0]!.replace(/[ [].*/, '')}: ${cells.at(-1)}`,
    );

    expect(
      missing(
        ['demo/local-options.ts', defaults],
        ['README.md, options after npm start --', described],
      ),
    ).toEqual([]);
  });

  it('or a document beside it names every variable that a command reads', () => {
    const variables = [...commandSources()].flatMap((source) => [
      ...source.matchAll(/\b(?:process\.env|environment)\.((?!NODE_)[A-Z][A-Z_]+)/g),
    ]);

    const named = documents.match(/\b[A-Z][A-Z_]+\b/g)!;

    expect(
      missing(
        ['the sources of commands', variables.map(([, name]) => name!)],
        ['README.md, CONTRIBUTING.md and docs/', named],
      ),
    ).toEqual([]);
  });

  it('or what runs by itself names every script', () => {
    const named = [documents, ...automation]
      .join('\n')
      .matchAll(/\bnpm (?:run )?(?:--silent )?([a-z][\w:-]*)/g);

    expect(
      missing(
        ['package.json, scripts', Object.keys(scripts)],
        ['README.md, CONTRIBUTING.md, docs/ and .ci/', [...named].map(([, name]) => name!)],
      ),
    ).toEqual([]);
  });
});

describe('what runs by itself', () => {
  it('runs scripts that exist', () => {
    const run = automation.join('\n').matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g);

    expect(
      missing(
        ['.ci/ or .github/workflows/', [...run].map(([, name]) => name!)],
        ['package.json, scripts', Object.keys(scripts)],
      ),
    ).toEqual([]);
  });
});

/** The sources of the commands. */
function commandSources(): string[] {
  const files = globSync('{admin,bin,demo,smoke,shared,lib/settings}/**/*.ts');
  return files.map((file) => readFileSync(file, 'utf8'));
}
