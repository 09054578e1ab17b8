import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The variables that the tests need of the environment. */
const needed =
  /^(PATH|HOME|TMPDIR|CI|ADVERSITY|CHROMIUM_PATH|DYNAMODB_ENDPOINT|NODE_COMPILE_CACHE|SYNTHESIZED_DIRECTORY|npm_config_\w+)$/;
const withoutProfiles = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

/**
 * Empties the environment but for what the tests need, and synthesizes every stage once for all test files. `synthesized.ts` gives access to the results.
 */
export default function globalSetup(): void {
  const directory = mkdtempSync(join(tmpdir(), 'synthesized-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // A developer's profile, proxy, Node options or terminal must not reach what the tests run.
  for (const name in process.env) if (!needed.test(name)) delete process.env[name];
  Object.assign(process.env, { TERM: 'xterm', ...withoutProfiles });
  // Saves the processes that tests start from compiling the CDK and the AWS SDK, from the second run on.
  process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compiled');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  execFileSync(process.execPath, ['test/helpers/synthesize.ts', directory], {
    cwd: root,
    // Templates are validated by test/bin/app.command.test.ts.
    env: { PATH, NODE_COMPILE_CACHE, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.env.SYNTHESIZED_DIRECTORY = directory;
}
