import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

const stopTimeoutMs = 1_800;
const parentCheckMs = 200;

const stopping = new AbortController();
process.on('SIGINT', stop).on('SIGTERM', stop);
if (process.env.npm_lifecycle_event) stopWithNpm(process.ppid);

outliveLostOutput();
keepCompiledCode();
// The module is loaded after the signal handlers have been set, because loading it takes a while.
const { runLocalCommand } = await import('./local-command.ts');
process.exitCode = await runLocalCommand(process.argv.slice(2), stopping.signal);

function stop(): void {
  stopping.abort();
  // If something hangs, the process still ends after this time.
  setTimeout(() => process.exit(0), stopTimeoutMs).unref();
}

/** Stops the run when npm, which has started it, was killed and could not forward a signal. */
function stopWithNpm(npm: number): void {
  const check = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(check);
    stop();
  }, parentCheckMs);
  check.unref();
}
