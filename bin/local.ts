import { OperatorError } from '../admin/errors.ts';
import { parseLocalOptions, usage } from '../demo/local-options.ts';
import { readyJson, readyText } from '../demo/ready-report.ts';
import { startStoreService } from '../demo/store-service.ts';
import { LocalRunError } from '../local/local-run-error.ts';

const stopTimeoutMs = 1_800;
const parentCheckMs = 200;

const stopping = new AbortController();
const stopped = new Promise<undefined>((resolve) => {
  stopping.signal.addEventListener('abort', () => resolve(undefined));
});
process.on('SIGINT', stop).on('SIGTERM', stop);
if (process.env.npm_lifecycle_event) stopWithNpm(process.ppid);

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function run(parameters: readonly string[]): Promise<void> {
  const options = parseLocalOptions(parameters);
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  const service = await startStoreService(options, {
    dynamodbEndpoint: process.env.DYNAMODB_ENDPOINT || undefined,
    log: (line) => process.stderr.write(`${line}\n`),
    signal: stopping.signal,
  });
  process.stdout.write(options.json ? readyJson(service) : readyText(service));
  const failure = await Promise.race([stopped, service.failed]);
  await service.close();
  if (failure) throw failure;
}

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

/** One line for what the caller can put right, all there is to know for anything else. */
function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof LocalRunError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
