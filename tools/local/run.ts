import { keepCompiledCode } from '../shared/compile-cache.ts';
import { outliveLostOutput } from '../shared/lost-output.ts';

const stopTimeoutMs = 1_800;

const stopping = new AbortController();
process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);

outliveLostOutput();
keepCompiledCode();
// The module is loaded after the signal handlers have been set, because loading it takes a while.
const { runLocalCommand } = await import('./local-command.ts');
const exitCode = await runLocalCommand(process.argv.slice(2), stopping.signal);
// Ends the process, because a function may still wait for something.
process.exit(exitCode);

function stop(): void {
  stopping.abort();
  // The process ends after this time even if something hangs.
  setTimeout(() => process.exit(0), stopTimeoutMs).unref();
}
