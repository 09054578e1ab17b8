import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The variables of the environment that the tests need. */
const needed =
  /^(PATH|HOME|TMPDIR|CI|CHROMIUM_PATH|DYNAMODB_ENDPOINT|NODE_COMPILE_CACHE|SYNTHESIZED_DIRECTORY|npm_config_\w+)$/;
const withoutProfiles = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

/**
 * Removes the variables of the environment that the tests do not need, and synthesizes every stage once for all test
 * files. `synthesized.ts` gives access to the results.
 */
export default function globalSetup(): void {
  const directory = mkdtempSync(join(tmpdir(), 'synthesized-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // A developer's profile, proxy, Node options or terminal must not influence the programs that the tests run.
  for (const name in process.env) if (!needed.test(name)) delete process.env[name];
  Object.assign(process.env, { TERM: 'xterm', ...withoutProfiles });
  // From the second run on, the processes that tests start need not compile the CDK and the AWS SDK.
  process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compiled');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  execFileSync(process.execPath, ['test/helpers/synthesize.ts', directory], {
    cwd: root,
    // Off, because test/bin/app.command.test.ts validates the templates.
    env: { PATH, NODE_COMPILE_CACHE, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.env.SYNTHESIZED_DIRECTORY = directory;
}
