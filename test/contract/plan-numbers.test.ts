import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { differences, missing, type Statement } from '../helpers/differences.ts';

/*
 * lib/settings/plans.ts is compared with the requirements in test/lib/settings.test.ts. All
 * other places that state a plan's numbers are compared with it here, and must be changed with it.
 */

const code = 'lib/settings/plans.ts';
const published = planNames.filter((name) => !plans[name].limitsPerOwner);
const documents = [
  'README.md',
  'openapi.yaml',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

describe('the numbers of the plans', () => {
  it.each(documents)('are in %s those of the code, wherever it states some', (file) => {
    const text = readFileSync(file, 'utf8');

    expect(missing([file, statedNumbers(text)], [code, knownNumbers()])).toEqual([]);
  });

  it.each(documents)('are all in the table of %s, where it has one', (file) => {
    const rows = tableRows(readFileSync(file, 'utf8'));
    if (rows.length === 0) return;

    expect(differences([code, tableOf(published)], [file, rows])).toEqual([]);
  });

  it('belong to the plans that commands are shown with, all of which exist', () => {
    const files = [...documents, ...globSync('{admin,.github/workflows}/**/*.{ts,yml}')];
    const shown = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?<!the )--plan ([a-z]+)/g)].map(
        ([, name]) => name!,
      ),
    );

    expect(missing(['the documents or admin/', shown], [code, planNames])).toEqual([]);
  });

  it.each(['openapi.yaml', 'docs/requirements.md'])('are in a table of %s', (file) => {
    expect(tableRows(readFileSync(file, 'utf8'))).not.toEqual([]);
  });

  it('are those of the free plan where README.md and the contract show headers', () => {
    const { perMinute } = plans.free;
    const shown: Statement = [code, [`Limit ${perMinute}`, `Remaining ${perMinute - 1}`]];
    const readme = [...readFileSync('README.md', 'utf8').matchAll(/^X-RateLimit-(\w+: \d+)$/gm)];
    const contract = readFileSync('openapi.yaml', 'utf8');
    const example = (name: string) =>
      new RegExp(`\n    X-RateLimit-${name}:\n(?:      .*\n)*?      example: (\\d+)\n`).exec(
        contract,
      );

    const ofReadme = readme.map(([, header]) => header!.replace(':', ''));
    const ofContract = ['Limit', 'Remaining'].map((name) => `${name} ${example(name)?.[1]}`);

    expect(missing(shown, ['README.md', ofReadme])).toEqual([]);
    expect(missing(shown, ['openapi.yaml, components.headers', ofContract])).toEqual([]);
  });
});

/** Every way in which a document may state a plan's numbers, and what it then says. */
const phrases: [RegExp, (...numbers: string[]) => string[]][] = [
  [/([\d,]+) per minute, ([\d,]+) per day/g, (minute, day) => [pair(minute!, day!)]],
  [/limit of ([\d,]+) requests per minute/g, (minute) => [ofMinute(minute!)]],
  [/limit of ([\d,]+) requests per day/g, (day) => [ofDay(day!)]],
  [/this minute +\d+ of ([\d,]+) used/g, (minute) => [ofMinute(minute!)]],
  [/today +\d+ of ([\d,]+) used/g, (day) => [ofDay(day!)]],
  [/([\d,]+) requests a minute\. That is the most/g, (minute) => [ofMinute(minute!)]],
];

function statedNumbers(text: string): string[] {
  return phrases.flatMap(([phrase, describeNumbers]) =>
    [...text.matchAll(phrase)].flatMap(([, ...numbers]) => describeNumbers(...numbers)),
  );
}

function knownNumbers(): string[] {
  return Object.values(plans).flatMap(({ perMinute, perDay }) => [
    pair(perMinute, perDay),
    ofMinute(perMinute),
    ofDay(perDay),
  ]);
}

function tableRows(text: string): string[] {
  const rows = text.matchAll(/^\s*\| (\w+) \| ([\d,]+) \| ([\d,]+) \|$/gm);
  const titles: string[] = published.map(capitalized);
  return [...rows]
    .filter(([, title]) => titles.includes(title!))
    .map(([, title, minute, day]) => `${title}: ${pair(minute!, day!)}`);
}

function tableOf(names: typeof planNames): string[] {
  return names.map((name) => {
    const { perMinute, perDay } = plans[name];
    return `${capitalized(name)}: ${pair(perMinute, perDay)}`;
  });
}

function pair(perMinute: number | string, perDay: number | string): string {
  return `${ofMinute(perMinute)}, ${ofDay(perDay)}`;
}

function ofMinute(number: number | string): string {
  return `${plain(number)} a minute`;
}

function ofDay(number: number | string): string {
  return `${plain(number)} a day`;
}

function plain(number: number | string): string {
  return String(number).replaceAll(',', '');
}
