import { cpSync, type DisposableTempDir, mkdtempDisposableSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

// The code of `npm start`, and the files that it reads.
const copied = [
  ...['bin', 'lambdas', 'lib', 'tools'],
  ...['cdk.json', 'openapi.yaml', 'package.json'],
];

/** Copies the sources to a folder in which they can be changed, with a link to the installed packages. */
export function copySources(): DisposableTempDir {
  const copy = mkdtempDisposableSync(join(tmpdir(), 'store-orders-'));
  for (const name of copied) cpSync(join(root, name), join(copy.path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  return copy;
}
