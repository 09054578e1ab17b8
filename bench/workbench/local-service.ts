import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What `npm start -- --json` prints when the service is ready, and the id of its process. */
export interface LocalService {
  readonly processId: number;
  readonly baseUrl: string;
  readonly keys: { readonly enterprise: string };
  readonly dynamodbEndpoint: string;
  readonly tables: { readonly orders: string };
}

/**
 * Runs the local service on a free port, in a process of its own, for as long as `use` takes.
 *
 * @param parameters further options of `npm start`
 * @throws Error if the service ends before it is ready
 */
export async function withLocalService(
  parameters: readonly string[],
  use: (service: LocalService) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0', ...parameters], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    await use(await ready(child));
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function ready(child: ChildProcess): Promise<LocalService> {
  for await (const line of createInterface({ input: child.stdout! })) {
    return { ...JSON.parse(line), processId: child.pid };
  }
  throw new Error('The local run ended before it was ready.');
}
