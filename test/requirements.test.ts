import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/*
 * docs/requirements.md names beside each rule the test files that hold it, and the titles in these
 * files begin with the rule's number. Either side is compared with the other, so that no rule
 * loses its tests and no title cites a rule that there is not.
 */

interface Rule {
  /** Such as R12, or I3 for an interpretation. */
  readonly number: string;
  readonly text: string;
}

const page = 'docs/requirements.md';
const root = join(import.meta.dirname, '..');
const document = readFileSync(join(root, page), 'utf8');

/** A rule begins with its number in bold and ends where the next one, or a heading, begins. */
const beginning = /^(?=\*\*[RI]\d|#)/m;

/** A text that begins with a rule's number, or several with commas between, and a colon. */
const citationInTests = /['"`](?<numbers>[RI]\d+(?:, [RI]\d+)*): /g;

const testFileInDocument = /`(?<file>test\/\S+?\.test\.ts)`/g;
const nothingToTest = 'Nothing to test.';

const rules: Rule[] = document.split(beginning).flatMap((text) => {
  const number = /^\*\*([RI]\d+)\b/.exec(text)?.[1];
  return number ? [{ number, text }] : [];
});

function testFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file.replaceAll('\\', '/')}`);
}

function numbersCitedIn(file: string): Set<string> {
  const source = readFileSync(join(root, file), 'utf8');
  return new Set(
    [...source.matchAll(citationInTests)].flatMap(({ groups }) => groups!.numbers!.split(', ')),
  );
}

function filesNamedBeside({ text }: Rule): string[] {
  return [...text.matchAll(testFileInDocument)].map(({ groups }) => groups!.file!);
}

describe('the requirements', () => {
  const cited = new Map(testFiles().map((file) => [file, numbersCitedIn(file)]));
  const citing = [...cited.keys()].filter((file) => cited.get(file)!.size > 0);
  const named = new Map(rules.map((rule) => [rule.number, filesNamedBeside(rule)]));

  it.each(rules)('$number is held by a test, or says that there is nothing to test', (rule) => {
    const isHeld = filesNamedBeside(rule).length > 0;

    expect(isHeld).toBe(!rule.text.includes(nothingToTest));
  });

  it.each(rules)('$number is cited by a title in every file that is named beside it', (rule) => {
    const uncited = filesNamedBeside(rule)
      .filter((file) => !cited.get(file)?.has(rule.number))
      .map((file) => `${page} names ${file} beside ${rule.number}; no title there begins with it`);

    expect(uncited).toEqual([]);
  });

  it.each(citing)('name %s beside every rule that its titles cite', (file) => {
    const unnamed = [...cited.get(file)!]
      .filter((number) => !named.get(number)?.includes(file))
      .map((number) => `${file} cites ${number}; ${page} does not name the file beside it`);

    expect(unnamed).toEqual([]);
  });

  it('have a number each', () => {
    const numbers = rules.map(({ number }) => number);

    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers).toContain('R1');
  });
});
