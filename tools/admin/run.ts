import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

const interruption = new AbortController();
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);

outliveLostOutput();
keepCompiledCode();
// Loading this module takes a while, so the signal handlers are set before it.
const { runAdmin } = await import('./program.ts');
// Node reports a signal that arrived meanwhile in the next turn of its event loop.
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
 * Passes a signal to the command. A second signal ends the process at once if it arrives at least a second
 * later. An earlier one may be a copy: a terminal sends the signal to all processes, and npm passes it on.
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
