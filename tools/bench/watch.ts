import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Findings } from './report.ts';
import { copySources } from './source-copy.ts';

/** What `npm start --silent -- --json` prints. */
interface Ready {
  readonly baseUrl: string;
  readonly keys: Readonly<Record<string, string>>;
}

const handler = 'lambdas/cancel-order.ts';
const parseLine = '  const orderId = parseOrderId(event.pathParameters?.orderId);\n';
const answeredWithinMs = 10_000;

/** From the save of a handler to the answer of its new code, with `npm start -- --watch`. */
export async function benchWatch(saves: number): Promise<Findings> {
  using sources = copySources();
  const run = spawn(process.execPath, ['tools/start/run.ts', '--watch', '--json', '--port', '0'], {
    cwd: sources.directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(run, 'exit');
  try {
    const [line] = await once(createInterface({ input: run.stdout }), 'line');
    return await measure(JSON.parse(line), join(sources.directory, handler), saves);
  } finally {
    run.kill('SIGTERM');
    await exited;
  }
}

async function measure(ready: Ready, file: string, saves: number): Promise<Findings> {
  const original = readFileSync(file, 'utf8');
  const milliseconds: number[] = [];
  // The first save finds a function that has never been invoked.
  for (let save = 0; save <= saves; save++) {
    const message = `saved ${save}`;
    const refusal = `  if (orderId === '0') throw new ApiError(400, 'saved', '${message}');\n`;
    const startedAtMs = performance.now();
    writeFileSync(file, original.replace(parseLine, parseLine + refusal));
    await untilAnswered(ready, message);
    if (save > 0) milliseconds.push(performance.now() - startedAtMs);
  }
  return findings(milliseconds.sort((one, other) => one - other));
}

/** @throws Error when the new code does not answer for long */
async function untilAnswered({ baseUrl, keys }: Ready, message: string): Promise<void> {
  const deadlineMs = performance.now() + answeredWithinMs;
  for (;;) {
    const headers = { Authorization: `Bearer ${keys.enterprise}` };
    const response = await fetch(`${baseUrl}/store/orders/0`, { method: 'DELETE', headers });
    if ((await response.text()).includes(`"${message}"`)) return;
    if (performance.now() > deadlineMs) throw new Error(`No answer says "${message}".`);
  }
}

function findings(sorted: readonly number[]): Findings {
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return {
    title: 'Changed handler',
    measurements: [
      { what: 'saves', value: sorted.length, unit: '' },
      { what: 'median, from the save to its answer', value: at(0.5), unit: 'ms' },
      { what: 'slowest', value: at(1), unit: 'ms' },
    ],
    figures: { watch_handler_p95_ms: at(0.95) },
  };
}
