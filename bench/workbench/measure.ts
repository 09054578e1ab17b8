import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { RequestCounts } from '../doubles/canned-dynamodb.ts';
import {
  type Invocation,
  installLambdaDouble,
  invocationContext,
  openInvocation,
} from '../doubles/lambda-double.ts';
import type {
  BurstJob,
  BurstResult,
  CallsJob,
  CallsResult,
  ColdJob,
  ColdResult,
  Job,
  ListCall,
  ListJob,
  ListResult,
} from './job.ts';

type Handler = (...parameters: unknown[]) => Promise<unknown>;

// This file is bundled, so that the fresh process loads nothing but this code and the function.
installLambdaDouble();
const job = JSON.parse(process.argv[2]!) as Job;
const measurements = { list, calls: callRepeatedly, burst, cold: startCold };
const result = (measurements[job.kind] as (job: Job) => Promise<unknown>)(job);
result.then(
  (value) => process.send?.(value, () => process.exit()),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);

async function startCold(job: ColdJob): Promise<ColdResult> {
  const stopwatch = startStopwatch();
  const handler = await load(job.bundleFile);
  const { wallMs: loadWallMs, cpuMs: loadCpuMs } = stopwatch();
  const { answer } = await call(handler, job);
  return { ...stopwatch(), loadWallMs, loadCpuMs, answer };
}

async function callRepeatedly(job: CallsJob): Promise<CallsResult> {
  const handler = await load(job.bundleFile);
  const logBytes = await bytesLogged(() => answerOf(handler, job));
  for (let index = 1; index < job.warmCalls; index++) await answerOf(handler, job);
  const before = await requestCounts();
  const stopwatch = startStopwatch();
  for (let index = 1; index < job.calls; index++) await answerOf(handler, job);
  const answer = await answerOf(handler, job);
  const { cpuMs } = stopwatch();
  const after = await requestCounts();
  return {
    cpuMs: cpuMs / job.calls,
    requests: (after.requests - before.requests) / job.calls,
    readUnits: (after.readUnits - before.readUnits) / job.calls,
    writeUnits: (after.writeUnits - before.writeUnits) / job.calls,
    logBytes,
    answer,
  };
}

async function burst(job: BurstJob): Promise<BurstResult> {
  const handler = await load(job.bundleFile);
  let admitted = 0;
  for (let index = 0; index < job.calls; index++) {
    const answer = JSON.stringify(await answerOf(handler, job));
    if (answer.includes('"Effect":"Allow"')) admitted++;
  }
  return { admitted };
}

/** Calls a handler, and returns its error as a result: an authorizer throws for an invalid key. */
async function answerOf(handler: Handler, job: CallsJob | BurstJob): Promise<unknown> {
  try {
    return (await call(handler, job)).answer;
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function bytesLogged(work: () => Promise<unknown>): Promise<number> {
  const { write } = process.stdout;
  let bytes = 0;
  process.stdout.write = (line: string | Uint8Array) => {
    bytes += Buffer.byteLength(line);
    return true;
  };
  await work();
  process.stdout.write = write;
  return bytes;
}

async function list(job: ListJob): Promise<ListResult> {
  const handler = await load(job.bundleFile);
  const calls: ListCall[] = [];
  for (let index = 0; index < job.calls; index++) calls.push(await listOnce(handler, job));
  return { calls, peakRssMb: process.resourceUsage().maxRSS / 1024 };
}

async function listOnce(handler: Handler, job: ListJob): Promise<ListCall> {
  const startedAtMs = performance.now();
  const stopwatch = startStopwatch();
  const { invocation } = await call(handler, job);
  const { cpuMs, wallMs } = stopwatch();
  const { firstByteAtMs = startedAtMs, bytes, chunks } = invocation!;
  const orders = job.isChecked ? await countOrders(Buffer.concat(chunks)) : undefined;
  return { cpuMs, wallMs, firstByteMs: firstByteAtMs - startedAtMs, bytes, orders };
}

/** Counts the distinct ids in a list. @throws Error if the body is not a JSON array */
async function countOrders(body: Buffer): Promise<number> {
  const { gunzipSync } = await import('node:zlib');
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const text = (isGzip ? gunzipSync(body) : body).toString();
  const orders: unknown = JSON.parse(text);
  if (!Array.isArray(orders)) throw new Error(`The list answered ${text}`);
  return new Set(orders.map(({ id }) => id)).size;
}

async function load(bundleFile: string): Promise<Handler> {
  const module = bundleFile.endsWith('.mjs')
    ? await import(pathToFileURL(bundleFile).href)
    : createRequire(bundleFile)(bundleFile);
  return module.handler;
}

/** Calls the handler and sends its response to the receiver, like Lambda's runtime. */
async function call(
  handler: Handler,
  job: Job,
): Promise<{ answer: unknown; invocation?: Invocation }> {
  if (job.kind !== 'list' && !job.isStreaming) {
    return { answer: await handler(job.event, invocationContext()) };
  }
  const isKept = job.kind === 'list' && job.isChecked;
  const invocation = openInvocation(process.env.RECEIVER_URL!, { isKept });
  const { stream, received } = invocation;
  if (job.isStreaming) {
    await handler(job.event, stream, invocationContext());
  } else {
    const { body } = (await handler(job.event, invocationContext())) as { body: string };
    stream.write(body);
    stream.end();
  }
  await received;
  return { answer: stream.prelude, invocation };
}

function startStopwatch(): () => { cpuMs: number; wallMs: number } {
  const startedAtNs = process.hrtime.bigint();
  const cpuAtStart = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    const wallNs = process.hrtime.bigint() - startedAtNs;
    return { cpuMs: (user + system) / 1000, wallMs: Number(wallNs) / 1e6 };
  };
}

// The module is imported on use, so that a cold start is not measured with the module in memory.
async function requestCounts(): Promise<RequestCounts> {
  const { get } = await import('node:https');
  const url = `${process.env.AWS_ENDPOINT_URL_DYNAMODB}/counts`;
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, async (response) => {
      const chunks = await response.toArray();
      resolve(JSON.parse(Buffer.concat(chunks).toString()));
    }).on('error', reject);
  });
}
