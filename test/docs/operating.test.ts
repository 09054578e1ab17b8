import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { everyCommand } from '../admin/run-admin.ts';
import { differences } from '../helpers/differences.ts';

it('docs/operating.md shows every command, and no other', async () => {
  const lines = readFileSync('docs/operating.md', 'utf8').matchAll(
    /^ *\$ .*?\badmin ([a-z]+ [a-z-]+)/gm,
  );

  expect(
    differences(
      ['npm run admin -- --help', await everyCommand()],
      ['docs/operating.md, commands after a $', [...lines].map(([, command]) => command!)],
    ),
  ).toEqual([]);
});
