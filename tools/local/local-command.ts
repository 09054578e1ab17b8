import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceRealm } from '../../lambdas/domain/service-name.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { LocalRunError } from './aws/errors.ts';
import { openInspector } from './inspector.ts';
import { parseLocalOptions } from './local-options.ts';
import { readyJson, readyText } from './ready-report.ts';
import { logMode, plainConsole, textConsole } from './run-console.ts';
import { basePathOf, startStoreService } from './store-service.ts';

/** Runs the service until it fails or `stop` is aborted, which also ends the start. Returns the exit code. */
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
  const stopped = once(stop, 'abort');
  await using started = new AsyncDisposableStack();
  // It is closed before the service, because a thread that a debugger has paused could not be ended.
  using _inspector = options.inspect === undefined ? undefined : openInspector(options.inspect);
  const directory = temporaryDirectory();
  // The log is beside the folder, so that it can be read after the run.
  const console = options.json
    ? plainConsole
    : textConsole(basePathOf(options.stage), `${directory}.log`);
  if (!options.json && process.stdout.isTTY) process.stdout.write('Starting …\n');
  const environment = { directory, console, signal: stop, started };
  const service = await startStoreService(options, environment);
  // Creates the file, so that a user can follow it before the first line.
  const { functionLogPath } = console;
  if (functionLogPath !== undefined) appendFileSync(functionLogPath, '', { mode: logMode });
  process.stdout.write(
    options.json
      ? readyJson(service)
      : readyText(service, await service.exampleOrderId(), options, console),
  );
  const end = await Promise.race([stopped, service.failed]);
  if (end instanceof Error) throw end;
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
  if (syscall === 'mkdtemp') return `TMPDIR: ${message}; name a directory that exists`;
  if (code === 'EADDRINUSE') {
    return `--port: ${message}; stop the other program, choose another port, or 0 for a free one`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `--host and --port: ${message}; give an address of this machine, such as 127.0.0.1, and a port from 1024 on`;
  }
  return error.stack ?? message;
}
