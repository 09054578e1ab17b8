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

/**
 * Returns a signal that is aborted by the first Ctrl+C. One that comes a second later ends the process at
 * once. Until then there may be another copy of the first: a terminal sends it to all processes, and npm
 * passes it on.
 */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    controller.abort();
    setTimeout(() => process.off('SIGINT', interrupt).off('SIGTERM', interrupt), 1_000).unref();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return controller.signal;
}
