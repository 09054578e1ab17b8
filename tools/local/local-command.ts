import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceRealm } from '../../lambdas/domain/service-name.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { LocalRunError } from './aws/errors.ts';
import { reportUncaught } from './aws/lambda/function-code.ts';
import { parseLocalOptions } from './local-options.ts';
import { readyJson, readyText } from './ready-report.ts';
import { logMode, plainConsole, textConsole } from './run-console.ts';
import { basePathOf, startStoreService } from './store-service.ts';
import { runWatched, watchFolder } from './watch.ts';

/** Runs the service until it fails or `stop` is aborted, even during the start. Returns the exit code. */
export async function runLocalCommand(
  parameters: readonly string[],
  stop: AbortSignal,
): Promise<number> {
  try {
    await run(parameters, stop);
    return 0;
  } catch (error) {
    if (stop.aborted) return 0;
    // The message can contain a line of the orders file, or an answer of another server.
    process.stderr.write(`${printable(messageOf(error))}\n`);
    return 1;
  }
}

async function run(parameters: readonly string[], stop: AbortSignal): Promise<void> {
  const options = parseLocalOptions(parameters, process.env);
  if (options === undefined) return;
  const shared = watchFolder();
  if (options.watch && shared === undefined) return runWatched(parameters, options, stop);
  process.on('uncaughtException', goOnAfterFunctions);
  const stopped = once(stop, 'abort');
  await using started = new AsyncDisposableStack();
  using _inspector = options.inspect === undefined ? undefined : openInspector(options.inspect);
  const directory = temporaryDirectory();
  // The log is beside the temporary folder, not in it, so that the log can be read after the run.
  const console = options.json
    ? plainConsole
    : textConsole(basePathOf(options.stage), `${shared ?? directory}.log`);
  if (!options.json && process.stdout.isTTY) process.stdout.write('Starting …\n');
  const environment = { directory, console, signal: stop, started };
  const service = await startStoreService(options, environment);
  // Creates the file, so that a user can follow it before the first line.
  const { functionLogPath } = console;
  if (functionLogPath !== undefined) appendFileSync(functionLogPath, '', { mode: logMode });
  if (isFirst(shared)) {
    process.stdout.write(
      options.json
        ? readyJson(service)
        : readyText(service, await service.exampleOrderId(), options, console),
    );
  } else console.log(`Ready again at ${service.baseUrl}`);
  const end = await Promise.race([stopped, service.failed]);
  if (end instanceof Error) throw end;
}

/** A forgotten `await` in a function does not end the run; an error of the run itself does. */
function goOnAfterFunctions(error: unknown): void {
  if (!reportUncaught(error)) throw error;
}

/** Lets a debugger attach at a loopback address only, because a debugger can do everything that this user can. */
function openInspector(port: number): Disposable {
  const opened = inspector.open(port, '127.0.0.1');
  if (inspector.url() !== undefined) return opened;
  const remedy = 'choose another port, or 0 for a free one';
  throw new OperatorError(`--inspect: port ${port} is not available; ${remedy}`);
}

/** Whether this run is the first to be ready. @param shared the folder of the runs that `--watch` starts */
function isFirst(shared: string | undefined): boolean {
  if (shared === undefined) return true;
  const mark = join(shared, 'ready');
  const isMarked = existsSync(mark);
  writeFileSync(mark, '');
  return !isMarked;
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), `${serviceRealm}-${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An error that the user cannot correct is shown with its stack. */
function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof LocalRunError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return `--port: ${message}; stop the other program, choose another port, or 0 for a free one`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `--host and --port: ${message}; give an address of this machine, such as 127.0.0.1, and a port from 1024 on`;
  }
  return error.stack ?? message;
}
