import { setTimeout as wait } from 'node:timers/promises';
import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

keepCompiledCode();
const { runAdmin } = await import('./program.ts');

const { INIT_CWD, npm_lifecycle_event: script } = process.env;

// npm runs scripts in the directory of package.json; INIT_CWD is the directory in which it was called.
if (script === 'admin' && INIT_CWD) process.chdir(INIT_CWD);

outliveLostOutput();
process.exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  now: Date.now,
  wait,
  onInterrupt: interruptSignal,
});

/** Returns a signal that is aborted by the first Ctrl-C. The second one ends the process at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}
