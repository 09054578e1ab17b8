import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { admin, everyCommand } from '../../tools/admin/test/run-admin.ts';
import { differences, missing } from '../helpers/differences.ts';

const commands = await everyCommand();
const helps = await Promise.all(
  commands.map(async (command) => (await admin([...command.split(' '), '--help'])).stdout),
);

/** The options of each command, such as `keys list --owner`. */
const options = helps.flatMap((help, index) => optionsIn(help.split('\nExamples:\n')[0]!, index));

describe('docs/operating.md', () => {
  it('shows every command, and no other', () => {
    const lines = readFileSync('docs/operating.md', 'utf8').matchAll(
      /^ *\$ .*?\badmin ([a-z]+ [a-z-]+)/gm,
    );

    expect(
      differences(
        ['npm run admin -- --help', commands],
        ['docs/operating.md, commands after a $', [...lines].map(([, command]) => command!)],
      ),
    ).toEqual([]);
  });
});

describe('a command with options', () => {
  it('has them, wherever it is shown', () => {
    const files = globSync('{*.md,docs/*.md,.github/workflows/*,tools/admin/**/*.ts}');

    const unknown = files.flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(/\\\n\s*/g, '');
      const shown = commands.flatMap((command, index) =>
        [...text.matchAll(new RegExp(`\\b${command} [^\`|\\n]*`, 'g'))].flatMap(([line]) =>
          optionsIn(line, index),
        ),
      );
      return missing([file, shown], ['npm run admin -- --help', options]);
    });

    expect(unknown).toEqual([]);
  });
});

function optionsIn(text: string, index: number): string[] {
  return [...text.matchAll(/--[a-z-]+/g)].map(([option]) => `${commands[index]} ${option}`);
}
