import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');

/** What `npm start --silent -- --json` prints, and a way to end it. */
export interface RunningService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly stage: string;
  readonly keys: Readonly<Record<'free' | 'pro' | 'business' | 'enterprise', string>>;
  readonly dynamodbEndpoint: string;
  readonly tables: { readonly orders: string; readonly apiKeys: string };
}

/** Starts the service as a user would, on a free port. */
export async function startService(
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0', ...options], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = await firstLine(child);
  return {
    ...JSON.parse(output),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const errors: string[] = [];
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`bin/local.ts ended before it was ready:\n${errors.join('')}`);
}
