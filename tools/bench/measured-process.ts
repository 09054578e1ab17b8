import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { RequestCounts } from './canned-dynamodb.ts';

/** A measurement for a fresh process. */
export type Job = ListJob | CallsJob | ColdJob;

interface HandlerSource {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** Whether the handler takes (event, stream, context) rather than (event, context). */
  isStreaming: boolean;
}

/** Requests several lists, one after the other. */
interface ListJob extends HandlerSource {
  kind: 'list';
  calls: number;
  /** Whether the bodies are kept and parsed, which costs time and memory. */
  isChecked: boolean;
}

/** Calls the handler repeatedly, first to warm up and then to measure. */
interface CallsJob extends HandlerSource {
  kind: 'calls';
  warmCalls: number;
  calls: number;
}

/** Loads the bundle and calls the handler once. */
interface ColdJob extends HandlerSource {
  kind: 'cold';
}

export interface ListCall {
  cpuMs: number;
  wallMs: number;
  firstByteMs: number;
  bytes: number;
  /** The number of distinct ids in the body; undefined unless `isChecked`. */
  orders: number | undefined;
}

interface ListResult {
  calls: ListCall[];
  peakRssMb: number;
}

/** The averages for one call, and the result of the last one. */
export interface CallsResult {
  cpuMs: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
  logBytes: number;
  /** What the handler returned, or an object with the message of its error. */
  answer: unknown;
}

/** The time for loading the bundle and for the first call together. */
interface ColdResult {
  wallMs: number;
  cpuMs: number;
  /** What the handler returned, or the prelude of a streaming handler. */
  answer: unknown;
}

export interface JobResults {
  list: ListResult;
  calls: CallsResult;
  cold: ColdResult;
}

type Handler = (...parameters: unknown[]) => Promise<unknown>;

// This file is bundled, so that the fresh process loads nothing but this code and the function.
installLambdaDouble();
const job = JSON.parse(process.argv[2]!) as Job;
const measurements = { list, calls: callRepeatedly, cold: startCold };
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
  const { answer } = await call(handler, job);
  return { ...stopwatch(), answer };
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

/** Calls a handler, and returns its error as a result: an authorizer throws for an invalid key. */
async function answerOf(handler: Handler, job: CallsJob): Promise<unknown> {
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

/** The response stream of one invocation, with what was written to it. */
interface Invocation {
  stream: LambdaStream;
  /** Resolves when the receiver has received the whole body. */
  received: Promise<unknown>;
  /** When the first byte of the body was written, by `performance.now()`. */
  firstByteAtMs: number | undefined;
  bytes: number;
  /** The body; empty unless it is kept. */
  chunks: Uint8Array[];
}

type LambdaStream = ClientRequest & {
  prelude?: { statusCode?: number };
  setContentType?: (type: string) => void;
};

type StreamHandler = (event: unknown, stream: LambdaStream, context: unknown) => Promise<void>;

/** Replaces the `awslambda` global of Lambda's Node runtime. */
function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: StreamHandler) => handler;
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
}

/**
 * Opens the response stream of an invocation. As on Lambda, the stream is a chunked HTTP request to a
 * local address, so that writing has the same cost and the same backpressure.
 *
 * @param receiverUrl the address of a server that reads as fast as it can
 */
function openInvocation(receiverUrl: string, { isKept = false } = {}): Invocation {
  const stream: LambdaStream = request(receiverUrl, { method: 'POST' });
  stream.setContentType = () => {};
  const received = once(stream, 'response').then(([response]) => response.toArray());
  const invocation: Invocation = {
    stream,
    received,
    firstByteAtMs: undefined,
    bytes: 0,
    chunks: [],
  };
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...others: unknown[]) => {
    // The list's handler and Middy begin with an empty write, which is not part of the body.
    if (chunk.length > 0) invocation.firstByteAtMs ??= performance.now();
    invocation.bytes += Buffer.byteLength(chunk);
    if (isKept) invocation.chunks.push(Uint8Array.from(Buffer.from(chunk as string)));
    return write(chunk, ...others);
  };
  return invocation;
}

/** The part of Lambda's context that the handlers and Middy use. */
function invocationContext(): object {
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'benchmark',
    getRemainingTimeInMillis: () => 900_000,
  };
}
