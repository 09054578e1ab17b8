import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { LocalRunError } from './aws/errors.ts';
import { reportUncaught } from './aws/lambda/function-code.ts';
import { parseLocalOptions } from './local-options.ts';
import { startStoreService } from './store-service.ts';
import { log, readyJson, readyText } from './terminal.ts';
import { runWatched, temporaryDirectory, watchFolder } from './watch.ts';

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
    log(printable(messageOf(error)));
    return 1;
  }
}

async function run(parameters: readonly string[], stop: AbortSignal): Promise<void> {
  const given = parseLocalOptions(parameters);
  if (given === undefined) return;
  // Checked first, so that a mistake is reported without waiting for the synthesis.
  const options = { ...given, port: await availablePort(given.port, given.host) };
  const shared = watchFolder();
  if (options.watch && shared === undefined) return runWatched(parameters, options, stop);
  process.on('uncaughtException', (error) => {
    // A forgotten `await` in a function does not end the run; an error of the run itself does.
    if (!reportUncaught(error)) throw error;
  });
  const stopped = once(stop, 'abort');
  await using started = new AsyncDisposableStack();
  // At a loopback address only, because a debugger can do everything that this user can.
  using _inspector =
    options.inspect === undefined ? undefined : inspector.open(options.inspect, '127.0.0.1');
  if (options.inspect !== undefined && inspector.url() === undefined) {
    throw new OperatorError(
      `--inspect: port ${options.inspect} is not available; 0 chooses a free port`,
    );
  }
  if (process.stdout.isTTY && !options.json) process.stdout.write('Starting …\n');
  const service = await startStoreService(options, temporaryDirectory(), stop, started);
  if (!isFirst(shared)) log(`Ready again at ${service.baseUrl}`);
  else if (options.json) process.stdout.write(readyJson(service));
  else process.stdout.write(readyText(service));
  const end = await Promise.race([stopped, service.failed]);
  if (end instanceof Error) throw end;
}

/** Returns the port or, for 0, a free port. @throws the server's error if it cannot listen on the address */
async function availablePort(port: number, host: string): Promise<number> {
  await using server = createServer().listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Whether this run is the first to be ready. @param shared the folder of the runs that `--watch` starts */
function isFirst(shared: string | undefined): boolean {
  if (shared === undefined) return true;
  const mark = join(shared, 'ready');
  const isMarked = existsSync(mark);
  writeFileSync(mark, '');
  return !isMarked;
}

/** An error that the user cannot correct is shown with its stack. */
function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof LocalRunError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `--host and --port: ${message}; give an address of this machine, and a port that is free, or 0`;
  }
  return error.stack ?? message;
}
