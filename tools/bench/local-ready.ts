import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Findings, median } from './report.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Measures the time from starting `npm start` until it reports that it is ready. */
export async function benchLocalReady(rounds: number): Promise<Findings> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) seconds.push(await secondsUntilReady());
  const middle = median(seconds);
  return {
    title: 'Local run',
    measurements: [{ what: 'npm start, until ready', value: middle, unit: 's' }],
    figures: { local_ready_seconds: middle },
  };
}

/** @throws Error if the service ends before it is ready */
async function secondsUntilReady(): Promise<number> {
  const startedAtMs = performance.now();
  const service = spawn('npm', ['start', '--silent', '--', '--json', '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // The process is the leader of a group, so that npm and its child processes are ended together.
    detached: true,
  });
  const exited = once(service, 'exit');
  const lines = createInterface({ input: service.stdout });
  const isReady = await Promise.race([
    once(lines, 'line').then(() => true),
    exited.then(() => false),
  ]);
  if (!isReady) throw new Error('npm start ended before it was ready.');
  const seconds = (performance.now() - startedAtMs) / 1_000;
  process.kill(-service.pid!, 'SIGTERM');
  await exited;
  return seconds;
}
