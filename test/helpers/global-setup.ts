import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Synthesizes both stages once for all test files; `synthesized.ts` gives access to the result. */
export default function globalSetup(): void {
  const parent = join(root, '.cache/synthesized');
  mkdirSync(parent, { recursive: true });
  removeLeftovers(parent);
  const directory = join(parent, String(process.pid));
  execFileSync(process.execPath, ['bin/app.ts'], {
    cwd: root,
    // A clean environment: what is configured on this machine must not reach the templates.
    env: { PATH: process.env.PATH, CDK_OUTDIR: directory, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.env.SYNTHESIZED_DIRECTORY = directory;
}

/** Another run may be under way beside this one, so only what a dead process left is removed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!isRunning(Number(name))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
