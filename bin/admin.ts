import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { keepCompiledCode } from '../shared/compile-cache.ts';

keepCompiledCode();
const { runAdmin } = await import('../admin/program.ts');

const stateHome = process.env.XDG_STATE_HOME || join(homedir(), '.local/state');

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stateDirectory: join(stateHome, 'store-orders'),
  now: Date.now,
  wait,
  onInterrupt: interruptSignal,
});

/** The first Ctrl-C ends a command in good order; the second one at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}
