import { keepCompiledCode } from '../shared/compile-cache.ts';

const stopTimeoutMs = 1_800;
const parentCheckMs = 200;

const stopping = new AbortController();
process.on('SIGINT', stop).on('SIGTERM', stop);
if (process.env.npm_lifecycle_event) stopWithNpm(process.ppid);

keepCompiledCode();
// Loaded only now: a signal must be heard from the first moment on.
const { runLocalCommand } = await import('../demo/local-command.ts');
process.exitCode = await runLocalCommand(process.argv.slice(2), stopping.signal);

function stop(): void {
  stopping.abort();
  // Whatever hangs must not keep the process: who asked it to end is waiting.
  setTimeout(() => process.exit(0), stopTimeoutMs).unref();
}

/** Started by npm, which has been killed and could not say so: nobody is left to stop this. */
function stopWithNpm(npm: number): void {
  const check = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(check);
    stop();
  }, parentCheckMs);
  check.unref();
}
