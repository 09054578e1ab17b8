import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { keepCompiledCode } from '../shared/compile-cache.ts';

keepCompiledCode();
const { runAdmin } = await import('../admin/program.ts');

const { INIT_CWD, npm_lifecycle_event: script, XDG_STATE_HOME } = process.env;

// npm runs scripts in the directory of package.json; INIT_CWD is the directory in which it was called.
if (script === 'admin' && INIT_CWD) process.chdir(INIT_CWD);

let isOutputLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` closes the pipe when it has read enough. The command still completes.
  if (error.code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.exitCode = 1;
  process.stderr.write(`error: standard output: ${error.message}\n`);
});
// An error of standard error cannot be reported anywhere.
process.stderr.on('error', () => {});

const exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  stateDirectory: join(XDG_STATE_HOME || join(homedir(), '.local/state'), 'store-orders'),
  now: Date.now,
  wait,
  onInterrupt: interruptSignal,
});
process.exitCode = isOutputLost ? 1 : exitCode;

/** Returns a signal that is aborted by the first Ctrl-C. The second one ends the process at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}
