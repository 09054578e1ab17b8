import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createRunDirectory } from '../../demo/run-directory.ts';
import { keepCompiledCode } from '../../shared/compile-cache.ts';

const root = join(import.meta.dirname, '../..');

/** Synthesizes both stages once for all test files; `synthesized.ts` gives access to the result. */
export default function globalSetup(): void {
  const directory = createRunDirectory(join(root, '.cache/synthesized')).path;
  keepCompiledCode();
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  execFileSync(process.execPath, ['bin/app.ts'], {
    cwd: root,
    // The environment is reduced, so that this machine's settings do not influence the templates.
    env: { PATH, NODE_COMPILE_CACHE, CDK_OUTDIR: directory, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.env.SYNTHESIZED_DIRECTORY = directory;
}
