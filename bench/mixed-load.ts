import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LocalService, withLocalService } from './workbench/local-service.ts';

/*
 * Sends lists, cancels and refused requests to the local service over a number of connections, each
 * of which sends its next request after the response to the one before. The output shows the
 * requests per second, the CPU time of a request, which depends less on other load on the machine,
 * and the memory of the service's process under the load and after a rest. It runs on Linux only:
 *
 *   node bench/mixed-load.ts [--seconds 60] [--connections 64] [--rest 30]
 */

interface Sample {
  readonly status: number;
  readonly milliseconds: number;
}

const memoryEveryMs = 1_000;
// Of the sample of 1,000 orders.
const firstOrderId = 1_001;

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
await withLocalService([], measure);

async function measure(run: LocalService): Promise<void> {
  const { processId } = run;
  const idleMb = residentMb(processId);
  const cpuMsBefore = processorMs(processId);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const samples: Sample[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  const memory = watchMemory(processId);
  const senders = Array.from({ length: connections }, async (_, sender) => {
    for (let index = sender; performance.now() < untilMs; index += connections)
      samples.push(await send(run, agent, index));
  });
  await Promise.all(senders);
  const { highestMb, averageMb } = memory.end();
  const cpuMsPerRequest = ((processorMs(processId) - cpuMsBefore) / samples.length).toFixed(2);
  await pause(restSeconds * 1_000);
  agent.destroy();
  const memoryMb = { idleMb, averageMb, highestMb, afterRestMb: residentMb(processId) };
  console.table({ ...summary(samples), cpuMsPerRequest, ...memoryMb });
}

/** Of 20 requests, 12 cancel an order, 3 list, 3 have an invented key and 2 an unknown path. */
function requestOf(
  index: number,
  { keys }: LocalService,
): { method: string; path: string; key: string } {
  const kind = index % 20;
  if (kind < 12) {
    const id = firstOrderId + (index % 1_200);
    return { method: 'DELETE', path: `/store/orders/${id}`, key: keys.enterprise };
  }
  if (kind < 15) return { method: 'GET', path: '/store/orders', key: keys.enterprise };
  if (kind < 18) return { method: 'GET', path: '/store/orders', key: `so_test_${'x'.repeat(46)}` };
  return { method: 'GET', path: '/nothing', key: keys.enterprise };
}

function send(run: LocalService, agent: Agent, index: number): Promise<Sample> {
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

function residentMb(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

/** The CPU time of all threads of the service's process, without the embedded DynamoDB. */
function processorMs(processId: number): number {
  const [, fields] = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ');
  const [user, system] = fields!.split(' ').slice(11, 13).map(Number);
  // The fields are in hundredths of a second.
  return (user! + system!) * 10;
}

function watchMemory(processId: number) {
  const found: number[] = [];
  const timer = setInterval(() => found.push(residentMb(processId)), memoryEveryMs);
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
