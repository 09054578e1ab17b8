import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const relativeImport =
  /(?:from|import|new URL)\s*\(?\s*['"`](\.\.?\/[^'"`$]+\.[jt]s)(?:\?[^'"`]*)?['"`]/g;

/** The paths of the files that a file imports, or otherwise loads by a path relative to its own. */
export function importedFiles(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(relativeImport)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}
