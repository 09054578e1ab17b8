import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { differences } from '../helpers/differences.ts';
import { rowsAfter } from './markdown.ts';

const page = readFileSync('docs/first-deploy.md', 'utf8');

describe('docs/first-deploy.md', () => {
  it('has every variable that a deployment and its smoke test read, and no other', () => {
    const documented = rowsAfter('## Variables', page).flatMap(
      ([names]) => names!.match(/\b[A-Z_]{3,}\b/g)!,
    );

    expect(
      differences(
        ['lib/settings, bin/app.ts or tools/smoke', variablesRead()],
        ['docs/first-deploy.md, Variables', documented],
      ),
    ).toEqual([]);
  });
});

/** The variables that the sources of the deployment and of the smoke test read by name. */
function variablesRead(): string[] {
  const files = ['bin/app.ts', ...sourcesIn('lib/settings'), ...sourcesIn('tools/smoke')];
  const reads = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\b(?:process\.env|environment)\.([A-Z][A-Z_]+)/g),
  ]);
  return [...new Set(reads.map(([, name]) => name!))];
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}
