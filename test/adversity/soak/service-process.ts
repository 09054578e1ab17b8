import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The local service in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly processId: number;
  readonly baseUrl: string;
  readonly ordersTable: string;
  /** A key of the plan with the highest limits. */
  readonly token: string;
  readonly hasEnded: () => boolean;
  /** Issues a key of a new owner with this limit. */
  issueKey(perMinute: number): Promise<string>;
}

interface Ready {
  readonly baseUrl: string;
  readonly keys: { readonly enterprise: string };
  readonly dynamodbEndpoint: string;
  readonly tables: { readonly orders: string };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const perDay = 10_000_000;

/**
 * Starts what `npm start` starts, on any free port.
 *
 * @param logFile the file for the log of the service and its functions
 * @throws Error if the service ends before it is ready
 */
export async function startServiceProcess(
  dynamodbEndpoint: string,
  logFile: string,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0'], {
    cwd: root,
    env: { ...process.env, DYNAMODB_ENDPOINT: dynamodbEndpoint },
    // In a process group of its own, it does not get the terminal's Ctrl+C, and answers to the end.
    detached: true,
    stdio: ['ignore', 'pipe', openSync(logFile, 'w', 0o600)],
  });
  const exited = once(child, 'exit');
  const ready = await readyLine(child);
  return {
    processId: child.pid!,
    baseUrl: ready.baseUrl,
    ordersTable: ready.tables.orders,
    token: ready.keys.enterprise,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    issueKey: (perMinute) => issueKey(perMinute, ready.dynamodbEndpoint),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readyLine(child: ChildProcess): Promise<Ready> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('The service ended before it was ready.');
}

async function issueKey(perMinute: number, origin: string): Promise<string> {
  const limits = ['--per-minute', String(perMinute), '--per-day', String(perDay)];
  const owner = ['--owner', 'soak', '--plan', 'enterprise', ...limits];
  const words = ['bin/admin.ts', 'keys', 'issue', ...owner, '--local', origin, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
  return JSON.parse(stdout).apiKey;
}
