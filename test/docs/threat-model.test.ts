import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const document = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');

/** A test file, and a part of one of its titles as the source has it. */
const citation = /`(?<file>test\/\S+?\.test\.ts)`: “(?<title>[^”]+)”/g;

const citations = [...document.matchAll(citation)].map(({ groups }) => ({
  file: groups!.file!,
  title: groups!.title!,
}));

/** The rows of the tables under the headings that name an attacker. */
const threats = document
  .split('\n## ')
  .slice(1)
  .flatMap((section) => section.split('\n').filter((line) => line.startsWith('| ')))
  .filter((row) => !row.startsWith('| threat |'));

describe('the threat model', () => {
  it.each(citations)('cites a title that is in $file: $title', ({ file, title }) => {
    const source = readFileSync(join(root, file), 'utf8');

    expect(source).toContain(title);
  });

  it.each(threats)('names a test beside each threat: %s', (row) => {
    expect(row).toMatch(/`test\/\S+?\.test\.ts`: “/);
  });

  it.each(document.split('\n## ').slice(1))('says what is left to the operator: %s', (section) => {
    expect(section).toMatch(/^Left to the operator: /m);
  });
});
