import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

outliveLostOutput();
keepCompiledCode();

const interruption = new AbortController();
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
const { runAdmin } = await import('./program.ts');
process.exitCode = await runAdmin(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  now: Date.now,
  interruption: interruption.signal,
});
// Ends the process, because a call that was interrupted would keep it alive.
if (interruption.signal.aborted) process.exit();

/** Passes a signal to the command. A second signal ends the process at once. */
function interrupt(): void {
  interruption.abort();
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}
