import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

// What `npm start` runs, and what that reads.
const copied = [
  ...['bin', 'lambdas', 'lib', 'tools'],
  ...['cdk.json', 'openapi.yaml', 'package.json'],
];

/** The sources of the service in a folder of their own, where they can be changed. */
export interface SourceCopy extends Disposable {
  readonly directory: string;
}

/** Copies the sources, with the packages that are installed here. */
export function copySources(): SourceCopy {
  const directory = mkdtempSync(join(tmpdir(), 'store-orders-'));
  for (const name of copied) cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return {
    directory,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
