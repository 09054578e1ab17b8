import { join } from 'node:path';
import { LocalRunError } from '../local/template/local-run-error.ts';
import { OperatorError } from '../shared/errors.ts';
import { escapeControls } from '../shared/escape-controls.ts';
import { plainConsole, type RunConsole, textConsole } from './console/run-console.ts';
import { dynamodbEndpointOf, type LocalOptions, parseLocalOptions } from './local-options.ts';
import { readyJson, readyText } from './ready-report.ts';
import { basePathOf, startStoreService } from './store-service.ts';
import { removeLeftovers } from './synthesis.ts';

const logsFolder = join(import.meta.dirname, '../.cache/logs');

/**
 * Runs the service until the signal is aborted or the service fails.
 *
 * @param stop ends the run, even during its start
 * @returns the exit code
 */
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
    process.stderr.write(`${escapeControls(messageOf(error))}\n`);
    return 1;
  }
}

async function run(parameters: readonly string[], stop: AbortSignal): Promise<void> {
  const options = parseLocalOptions(parameters, process.env);
  if (options === undefined) return;
  await using started = new AsyncDisposableStack();
  let release = () => {};
  if (options.inspect !== undefined) {
    const { openInspector } = await import('./inspector.ts');
    const inspector = openInspector(options.inspect);
    stop.addEventListener('abort', () => inspector.release());
    release = () => inspector.release();
  }
  const console = consoleFor(options);
  started.defer(() => console.close());
  // The start takes some seconds, so the user is told.
  if (!options.json && process.stdout.isTTY) process.stdout.write('Starting …\n');
  const service = await startStoreService(options, {
    dynamodbEndpoint: dynamodbEndpointOf(process.env),
    console,
    signal: stop,
  });
  started.defer(() => service.close());
  process.stdout.write(
    options.json
      ? readyJson(service)
      : readyText(service, await service.exampleOrderId(), options, console),
  );
  const failure = await Promise.race([untilAborted(stop), service.failed]);
  release();
  if (failure) throw failure;
}

function consoleFor({ json, verbose, stage }: LocalOptions): RunConsole {
  if (json) return plainConsole();
  const functionLogPath = verbose ? undefined : functionLogFile();
  return textConsole({ basePath: basePathOf(stage), functionLogPath });
}

/** The path of the functions' log. The log of an ended run is kept until another run starts. */
function functionLogFile(): string {
  removeLeftovers(logsFolder);
  return join(logsFolder, String(process.pid), 'functions.log');
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined));
  });
}

/** The message of an error that the user can correct, and the stack of any other error. */
function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof LocalRunError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
