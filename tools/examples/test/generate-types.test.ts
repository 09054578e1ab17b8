import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';

const examples = join(import.meta.dirname, '..');
const directory = temporaryDirectoryOfFile();

describe('typed client', () => {
  it('has the types that `npx node tools/examples/generate-types.ts` makes from the contract', () => {
    const file = join(directory.path, 'types.ts');

    execFileSync(process.execPath, [join(examples, 'generate-types.ts'), file]);

    const own = readFileSync(join(examples, 'store-orders-api.generated.ts'), 'utf8');
    expect(own).toBe(readFileSync(file, 'utf8'));
  });
});
