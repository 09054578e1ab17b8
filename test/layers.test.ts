import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const relativeImport = /(?:from|import)\s*\(?\s*'((?:\.\.\/)+)([a-z]+)\//g;

describe.each(['lambdas', 'lib', 'local'])('%s/', (folder) => {
  it('imports from no folder beside it', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /\.[jt]s$/.test(file));

    const foreign = sources.flatMap((file) => importedFolders(folder, file));

    expect(sources.length).toBeGreaterThan(0);
    expect(foreign).toEqual([]);
  });
});

function importedFolders(folder: string, file: string) {
  const depth = file.split('/').length;
  const text = readFileSync(`${folder}/${file}`, 'utf8');
  return [...text.matchAll(relativeImport)]
    .filter(([, up]) => up!.length / 3 >= depth)
    .map(([, , imported]) => ({ file: `${folder}/${file}`, imported: imported! }));
}
