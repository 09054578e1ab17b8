import { setFlagsFromString } from 'node:v8';
import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

outliveLostOutput();
// With this flag, 300,000 orders take 200 MB of memory instead of 480 MB, and a fifth more CPU time.
setFlagsFromString('--optimize-for-size');
keepCompiledCode();
const { runAdmin } = await import('./program.ts');

const interruption = new AbortController();
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
process.exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  now: Date.now,
  interruption: interruption.signal,
  endAtSignals,
});

/** Passes a signal to the command. A second signal ends the process at once. */
function interrupt(signal: NodeJS.Signals): void {
  interruption.abort(signal);
  stopListening();
}

function endAtSignals(): void {
  stopListening();
  const { aborted, reason } = interruption.signal;
  if (aborted) process.kill(process.pid, reason);
}

function stopListening(): void {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
