import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';
import { watchFolder } from './watch.ts';

const stopTimeoutMs = 1_800;
const parentCheckMs = 200;

const stopping = new AbortController();
process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
if (process.env.npm_lifecycle_event || watchFolder()) stopWithParent(process.ppid);

outliveLostOutput();
keepCompiledCode();
// The module is loaded after the signal handlers have been set, because loading it takes a while.
const { runLocalCommand } = await import('./local-command.ts');
const exitCode = await runLocalCommand(process.argv.slice(2), stopping.signal);
// Ends the process, because a function may still wait for something.
process.exit(exitCode);

function stop(): void {
  stopping.abort();
  // If something hangs, the process still ends after this time.
  setTimeout(() => process.exit(0), stopTimeoutMs).unref();
}

/** Stops the run when npm or the watching process, which has started it, was killed and could not forward a signal. */
function stopWithParent(parent: number): void {
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    stop();
  }, parentCheckMs);
  check.unref();
}
