import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PlanName } from '../../../lib/settings/plans.ts';

export const root = join(import.meta.dirname, '../../..');

/** What `npm start --silent -- --json` prints. */
export interface Ready {
  readonly baseUrl: string;
  readonly stage: string;
  readonly keys: Readonly<Record<PlanName, string>>;
  readonly dynamodbEndpoint: string;
  readonly tables: { readonly orders: string; readonly apiKeys: string };
}

/** A process that runs the service. */
export type Run = ReturnType<typeof startRun>;

/** A service that is ready, and a way to end it. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

const quiet = '--disable-warning=ExperimentalWarning';

/**
 * Runs the service as a user would.
 *
 * @param directory with its sources
 */
export function startRun(
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  directory = root,
) {
  const child = spawn(process.execPath, [quiet, 'tools/local/run.ts', ...options], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(child.stderr);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const printed = once(child.stdout, 'data').then(([chunk]) => String(chunk));
  const failed = exited.then(async () => Promise.reject(new Error(await stderr)));
  const started = Promise.race([printed, failed]);
  // If the run ends before a caller waits for its start, the rejection is not unhandled.
  started.catch(() => {});
  return {
    child: child as ChildProcess,
    /** Its first output. @throws an error with its standard error if it ends without output */
    started,
    /** Its whole output, and how it ended. */
    stdout: text(child.stdout),
    stderr,
    exited,
  };
}

/** Starts the service on a free port, and waits until it is ready. */
export async function startService(
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const run = startRun(['--json', '--port', '0', ...options], environment);
  const ready: Ready = JSON.parse(await run.started);
  return {
    ...ready,
    ...run,
    async [Symbol.asyncDispose]() {
      run.child.kill('SIGTERM');
      await run.exited;
    },
  };
}
