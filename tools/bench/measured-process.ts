import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { RequestCounts } from './canned-dynamodb.ts';

/** The task of a fresh process: it loads a bundle and calls its handler, in batches. */
export interface Job {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** The number of calls in each batch. Batches before the one to measure warm up. */
  batches: number[];
}

type Spent = Record<'cpuMs' | 'wallMs', number>;

/** The averages for one call of a batch; `bytes` are those of the body. */
type Batch = Spent & RequestCounts & { bytes: number };

/** What a fresh process has measured. */
export interface JobResult {
  /** The cost of loading the bundle. */
  load: Spent;
  batches: Batch[];
  peakRssMb: number;
  /** The result of the last call: the returned value, or the stream's status. */
  answer: unknown;
}

type Handler = (...parameters: unknown[]) => Promise<unknown>;

type LambdaStream = ClientRequest & { prelude?: { statusCode?: number } };

const receiverUrl = process.env.RECEIVER_URL!;
/** The part of Lambda's context that the handlers and Middy use. */
const context = {
  awsRequestId: '00000000-0000-4000-8000-000000000000',
  functionName: 'benchmark',
  getRemainingTimeInMillis: () => 900_000,
};

// This file is bundled, so that the fresh process loads nothing but this code and the function.
const job = JSON.parse(process.argv[2]!) as Job;
let bytes = 0;
/** The handlers that take (event, stream, context) rather than (event, context). */
const streaming = new Set<Handler>();

installLambdaDouble();
measure().then((result) => process.send!(result, () => process.exit()));

async function measure(): Promise<JobResult> {
  const stopwatch = startStopwatch();
  const handler = await load(job.bundleFile);
  const loaded = stopwatch();
  const batches: Batch[] = [];
  let answer: unknown;
  for (const calls of job.batches) {
    await requestCounts();
    bytes = 0;
    const stopwatch = startStopwatch();
    for (let index = 0; index < calls; index++) answer = await answerOf(handler);
    const total = { ...stopwatch(), bytes, ...(await requestCounts()) };
    const averages = Object.entries(total).map(([figure, value]) => [figure, value / calls]);
    batches.push(Object.fromEntries(averages));
  }
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return { load: loaded, batches, peakRssMb, answer };
}

async function load(bundleFile: string): Promise<Handler> {
  const module = bundleFile.endsWith('.mjs')
    ? await import(pathToFileURL(bundleFile).href)
    : createRequire(bundleFile)(bundleFile);
  return module.handler;
}

async function answerOf(handler: Handler): Promise<unknown> {
  if (!streaming.has(handler)) return handler(job.event, context);
  const { stream, received } = openResponse();
  await handler(job.event, stream, context);
  await received;
  return { statusCode: 200, ...stream.prelude };
}

/**
 * Opens a response stream. As on Lambda, this is a chunked HTTP request to a local server that reads as
 * fast as it can, so writing has the same cost and the same backpressure.
 */
function openResponse() {
  const stream: LambdaStream = request(receiverUrl, { method: 'POST' });
  const received = once(stream, 'response').then(([response]) => response.toArray());
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...others: unknown[]) => {
    bytes += Buffer.byteLength(chunk);
    return write(chunk, ...others);
  };
  return { stream, received };
}

function startStopwatch(): () => Spent {
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAtMs };
  };
}

/** Returns the requests to DynamoDB since the last call. */
async function requestCounts(): Promise<RequestCounts> {
  const [response] = await once(request(receiverUrl).end(), 'response');
  return (await json(response as IncomingMessage)) as RequestCounts;
}

/** Replaces the `awslambda` global of Lambda's Node runtime, and the log, which it opens before a function. */
function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: Handler) => {
    streaming.add(handler);
    return handler;
  };
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
  process.stdout.write = () => true;
}
