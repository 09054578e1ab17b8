import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { operationNames } from '../../lib/settings/functions.ts';
import { missing } from '../../test/helpers/differences.ts';

it('CHANGELOG.md names every operation', () => {
  const named = readFileSync('CHANGELOG.md', 'utf8').match(/\w+/g)!;

  expect(missing(['lib/settings/functions.ts', operationNames], ['CHANGELOG.md', named])).toEqual(
    [],
  );
});
