import { LocalRunError } from '../local/template/local-run-error.ts';
import { OperatorError } from '../shared/errors.ts';
import { dynamodbEndpointOf, parseLocalOptions } from './local-options.ts';
import { readyJson, readyText } from './ready-report.ts';
import { startStoreService } from './store-service.ts';

/**
 * Runs the service until it is told to stop.
 *
 * @param stop ends the run, also while it starts
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
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

async function run(parameters: readonly string[], stop: AbortSignal): Promise<void> {
  const options = parseLocalOptions(parameters);
  if (options === undefined) return;
  const service = await startStoreService(options, {
    dynamodbEndpoint: dynamodbEndpointOf(process.env),
    log: (line) => process.stderr.write(`${line}\n`),
    signal: stop,
  });
  process.stdout.write(options.json ? readyJson(service) : readyText(service));
  const failure = await Promise.race([untilAborted(stop), service.failed]);
  await service.close();
  if (failure) throw failure;
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined));
  });
}

/** One line for what the caller can put right, all there is to know for anything else. */
function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof LocalRunError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
