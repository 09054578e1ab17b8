import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { shellBlocks } from './markdown.ts';

const blocks = globSync('{*.md,docs/**/*.md}').flatMap((file) =>
  shellBlocks(readFileSync(file, 'utf8')).map((block) => ({ file, block })),
);

it.each([
  // In zsh, the shell of macOS, a `#` in a pasted command is not a comment.
  ['contain no comment', (block: string) => /(^|\s)#.*/m.exec(block)],
  // A shell executes pasted lines one by one, even if an earlier line has failed.
  ['end at their first failure', secondCommand],
  ['do not choose prod', (block: string) => /.*\bprod\b.*/.exec(block)],
])('Blocks of commands to paste %s', (_, mistakeIn) => {
  const mistakes = blocks.flatMap(({ file, block }) =>
    (mistakeIn(block) ?? []).map((mistake) => `${file}: ${mistake}`),
  );

  expect(blocks.length).toBeGreaterThan(25);
  expect(mistakes).toEqual([]);
});

/** The first line that does not continue the line before it. Lines in a subshell that ends at a failure are allowed. */
function secondCommand(block: string): string[] | null {
  if (block.startsWith('(\n  set -e\n')) return null;
  const withoutTexts = block.replaceAll(/'[^']*'|"[^"]*"/g, (text) => text.replaceAll('\n', ' '));
  return /(?<!(?:[&|\\{(]|\bdo)\n)(?<=\n)(?!\s*(?:[})]|done))[^\n]+/.exec(withoutTexts);
}
