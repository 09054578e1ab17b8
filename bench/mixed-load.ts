import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/*
 * Sends lists, cancels and refused requests to the local service over a number of connections, each
 * of which sends its next request after the response to the one before. The output shows the
 * requests per second, the CPU time of a request, which depends less on other load on the machine,
 * and the memory of the service's process under the load and after a rest. It runs on Linux only:
 *
 *   node bench/mixed-load.ts [--seconds 60] [--connections 64] [--rest 30]
 */

interface Ready {
  readonly baseUrl: string;
  readonly keys: { readonly enterprise: string };
}

interface Sample {
  readonly status: number;
  readonly milliseconds: number;
}

const memoryEveryMs = 1_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '64' },
    rest: { type: 'string', default: '30' },
  },
});
const [seconds, connections, restSeconds] = [values.seconds, values.connections, values.rest].map(
  Number,
) as [number, number, number];
const service = spawn(process.execPath, ['bin/local.ts', '--json', '--port', '0'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: ['ignore', 'pipe', 'ignore'],
});
const exited = once(service, 'exit');
try {
  await measure(await ready(service));
} finally {
  service.kill('SIGTERM');
  await exited;
}

/** @throws Error if the service ends before it is ready */
async function ready(child: ChildProcess): Promise<Ready> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('The local run ended before it was ready.');
}

async function measure(run: Ready): Promise<void> {
  const idleMb = residentMb();
  const cpuMsBefore = processorMs();
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const samples: Sample[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  const memory = watchMemory();
  const senders = Array.from({ length: connections }, async (_, sender) => {
    for (let index = sender; performance.now() < untilMs; index += connections)
      samples.push(await send(run, agent, index));
  });
  await Promise.all(senders);
  const { highestMb, averageMb } = memory.end();
  const cpuMsPerRequest = ((processorMs() - cpuMsBefore) / samples.length).toFixed(2);
  await pause(restSeconds * 1_000);
  agent.destroy();
  const memoryMb = { idleMb, averageMb, highestMb, afterRestMb: residentMb() };
  console.table({ ...summary(samples), cpuMsPerRequest, ...memoryMb });
}

/** Of 20 requests, 12 cancel an order, 3 list, 3 have an invented key and 2 an unknown path. */
function requestOf(index: number, { keys }: Ready): { method: string; path: string; key: string } {
  const kind = index % 20;
  if (kind < 12) {
    const id = 1 + (index % 1_200);
    return { method: 'DELETE', path: `/store/orders/${id}`, key: keys.enterprise };
  }
  if (kind < 15) return { method: 'GET', path: '/store/orders', key: keys.enterprise };
  if (kind < 18) return { method: 'GET', path: '/store/orders', key: `so_test_${'x'.repeat(46)}` };
  return { method: 'GET', path: '/nothing', key: keys.enterprise };
}

function send(run: Ready, agent: Agent, index: number): Promise<Sample> {
  const { method, path, key } = requestOf(index, run);
  const startedAtMs = performance.now();
  const headers = { Authorization: `Bearer ${key}` };
  return new Promise((resolve) => {
    const done = (status: number) =>
      resolve({ status, milliseconds: performance.now() - startedAtMs });
    const call = request(run.baseUrl + path, { agent, method, headers });
    call.on('response', (response) => {
      response.on('end', () => done(response.statusCode ?? 0)).on('error', () => done(0));
      response.resume();
    });
    call.on('error', () => done(0)).end();
  });
}

function residentMb(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

/** The CPU time of all threads of the service's process, without the embedded DynamoDB. */
function processorMs(): number {
  const [, fields] = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields!.split(' ').slice(11, 13).map(Number);
  // The fields are in hundredths of a second.
  return (user! + system!) * 10;
}

function watchMemory() {
  const found: number[] = [];
  const timer = setInterval(() => found.push(residentMb()), memoryEveryMs);
  return {
    end: () => {
      clearInterval(timer);
      const sum = found.reduce((total, each) => total + each, 0);
      return { highestMb: Math.max(...found), averageMb: Math.round(sum / found.length) };
    },
  };
}

function summary(samples: readonly Sample[]) {
  const times = samples.map(({ milliseconds }) => Math.round(milliseconds)).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)];
  const statuses = Object.groupBy(samples, ({ status }) => String(status));
  return {
    requestsPerSecond: Math.round(samples.length / seconds),
    statuses: Object.entries(statuses)
      .map(([status, of]) => `${of!.length} times ${status}`)
      .join(', '),
    medianMs: at(0.5),
    p99Ms: at(0.99),
    longestMs: times.at(-1),
  };
}
