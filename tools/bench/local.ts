import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type Findings, median } from './report.ts';
import { answering, changedHandler, copySources } from './source-copy.ts';

/** A local run of the service. */
interface LocalRun extends AsyncDisposable {
  readonly baseUrl: string;
  /** The key of an owner of each plan. */
  readonly keys: Readonly<Record<string, string>>;
  readonly secondsUntilReady: number;
}

const root = join(import.meta.dirname, '../..');
const answeredWithinMs = 10_000;

/**
 * Starts the service with `npm start`.
 *
 * @throws Error if it ends before it is ready
 */
async function startLocally(directory: string, ...options: string[]): Promise<LocalRun> {
  const startedAtMs = performance.now();
  const words = ['start', '--silent', '--', '--json', '--port', '0', ...options];
  const service = spawn('npm', words, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The process is the leader of a group, so that npm and its child processes are ended together.
    detached: true,
  });
  const exited = once(service, 'exit').then(() => []);
  const log = text(service.stderr);
  const lines = createInterface({ input: service.stdout });
  const [ready] = await Promise.race([once(lines, 'line'), exited]);
  if (ready === undefined) throw new Error(`npm start ended before it was ready: ${await log}`);
  return {
    ...JSON.parse(ready),
    secondsUntilReady: (performance.now() - startedAtMs) / 1_000,
    async [Symbol.asyncDispose]() {
      process.kill(-service.pid!, 'SIGTERM');
      await exited;
    },
  };
}

/** Measures the time from starting `npm start` until it reports that it is ready. */
export async function benchLocalReady(rounds: number): Promise<Findings> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using run = await startLocally(root);
    seconds.push(run.secondsUntilReady);
  }
  return {
    title: 'Local run',
    measured: { 'npm start, until ready': { s: median(seconds) } },
    figures: { local_ready_seconds: median(seconds) },
  };
}

/** Measures the time from the save of a handler to the answer of its new code, with `--watch`. */
export async function benchWatch(saves: number): Promise<Findings> {
  using sources = copySources();
  await using run = await startLocally(sources.path, '--watch');
  const file = join(sources.path, changedHandler);
  const original = readFileSync(file, 'utf8');
  const milliseconds: number[] = [];
  // The first save finds a function that has never been invoked, and is not counted.
  for (let save = 0; save <= saves; save++) {
    const message = `saved ${save}`;
    const changed = answering(original, message);
    const startedAtMs = performance.now();
    writeFileSync(file, changed);
    await untilAnswered(run, message);
    if (save > 0) milliseconds.push(performance.now() - startedAtMs);
  }
  const sorted = milliseconds.sort((one, other) => one - other);
  return {
    title: 'Changed handler',
    measured: {
      [`${saves} saves, each until the new code answers`]: {
        medianMs: median(sorted),
        slowestMs: sorted.at(-1)!,
      },
    },
    figures: { watch_handler_p95_ms: sorted[Math.ceil(0.95 * saves) - 1]! },
  };
}

/** Waits until the new code answers. @throws Error after ten seconds */
async function untilAnswered({ baseUrl, keys }: LocalRun, message: string): Promise<void> {
  const deadlineMs = performance.now() + answeredWithinMs;
  for (;;) {
    const headers = { Authorization: `Bearer ${keys.enterprise}` };
    const response = await fetch(`${baseUrl}/store/orders/0`, { method: 'DELETE', headers });
    if ((await response.text()).includes(`"${message}"`)) return;
    if (performance.now() > deadlineMs) throw new Error(`No answer says "${message}".`);
  }
}
