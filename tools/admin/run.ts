import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

const interruption = new AbortController();
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);

outliveLostOutput();
keepCompiledCode();
// The module is loaded after the signal handlers have been set, because loading it takes a while.
const { runAdmin } = await import('./program.ts');
// Node tells of a signal that has come meanwhile in the next turn of its event loop.
await nextTurn();

const { INIT_CWD, npm_lifecycle_event: script } = process.env;
// npm runs scripts in the directory of package.json; INIT_CWD is the directory in which it was called.
if (script === 'admin' && INIT_CWD) process.chdir(INIT_CWD);

process.exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  now: Date.now,
  wait,
  interruption: interruption.signal,
  endAtSignals,
});

/**
 * Tells the command of a signal. One that comes a second later ends the process at once. Until then there
 * may be a copy of the first: a terminal sends it to all processes, and npm passes it on.
 */
function interrupt(signal: NodeJS.Signals): void {
  interruption.abort(signal);
  setTimeout(stopListening, 1_000).unref();
}

function endAtSignals(): void {
  stopListening();
  const { aborted, reason } = interruption.signal;
  if (aborted) process.kill(process.pid, reason);
}

function stopListening(): void {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
