import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import inspector from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceRealm } from '../../lambdas/contract/service-name.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { reportUncaught } from './aws/lambda/function-code.ts';
import { type LocalOptions, parseLocalOptions } from './local-options.ts';
import { startStoreService } from './store-service.ts';
import { log, readyJson, readyText } from './terminal.ts';
import { watchSources } from './watch.ts';

/** Runs the service until it fails or `stop` is aborted, even during the start. Returns the exit code. */
export async function runLocalCommand(
  parameters: readonly string[],
  stop: AbortSignal,
): Promise<number> {
  try {
    const options = parseLocalOptions(parameters);
    if (options) await run(options, stop);
    return 0;
  } catch (error) {
    if (stop.aborted) return 0;
    logError(error);
    return 1;
  }
}

async function run(options: LocalOptions, stop: AbortSignal): Promise<void> {
  // Stack traces name the sources of the functions, which are bundles with source maps.
  process.setSourceMapsEnabled(true);
  process.on('uncaughtException', (error) => {
    // An error in a function, such as one after a forgotten `await`, does not end the run. An error of the run itself
    // ends it.
    if (!reportUncaught(error)) throw error;
  });
  const stopped = once(stop, 'abort');
  await using started = new AsyncDisposableStack();
  const { json, watch } = options;
  using _inspector = startInspector(options.inspect);
  const service = await startStoreService(options, temporaryDirectory(), stop, started);
  process.stdout.write(json ? readyJson(service) : readyText(service));
  if (watch) {
    const report = (error: unknown) => {
      if (!stop.aborted) logError(error);
    };
    const reload = () => service.reload().then(() => log('The change is loaded.'), report);
    void watchSources(reload, stop);
  }
  const end = await Promise.race([stopped, service.failed]);
  if (end instanceof Error) throw end;
}

/** Lets debuggers attach at a loopback address only, because a debugger can do everything that this user can. */
function startInspector(port: number | undefined): Disposable | undefined {
  if (port === undefined) return undefined;
  const listening = inspector.open(port, '127.0.0.1');
  if (inspector.url()) return listening;
  throw new OperatorError(`--inspect: port ${port} is not available; 0 chooses a free port`);
}

/** Creates a directory, which is removed at the end of this process. */
function temporaryDirectory(): string {
  const parent = tmpdir();
  try {
    const directory = mkdtempSync(join(parent, `${serviceRealm}-${process.pid}-`));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  } catch (cause) {
    const problem = `a file cannot be created in ${parent} (${(cause as NodeJS.ErrnoException).code})`;
    throw new OperatorError(problem, {
      cause,
      remedy: 'set TMPDIR to a directory that can be written',
    });
  }
}

/** Logs an error. An error that the user cannot correct is logged with its stack. */
function logError(error: unknown): void {
  // Made printable, because the message can contain a line of the orders file, or an answer of another server.
  log(printable(messageOf(error)));
}

function messageOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `--host and --port: ${message}; give an address of this machine, and a port that is free, or 0`;
  }
  return error.stack ?? message;
}
