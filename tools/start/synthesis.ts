import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stackName } from '../../lib/settings/names.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { OperatorError } from '../shared/errors.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Synthesizes the stack of a stage with the CDK app, in a separate process that frees the CDK's memory
 * when it ends.
 *
 * @param directory the folder to write to
 * @returns the template's path
 */
export async function synthesize(
  stage: StageName,
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  const child = spawn(process.execPath, ['bin/app.ts'], {
    cwd: root,
    env: { ...process.env, CDK_OUTDIR: directory, STORE_ORDERS_STAGE: stage },
    // Standard output is for those who read how to use the service.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
  return join(directory, `${stackName(stage)}.template.json`);
}
