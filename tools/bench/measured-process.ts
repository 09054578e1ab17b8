import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Received } from './canned-dynamodb.ts';

/** The task of a fresh process: it loads a bundle and calls its handler, in batches. */
export interface Job {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** The number of calls in each batch. Batches before the one to measure warm up. */
  batches: number[];
}

type Spent = Record<'cpuMs' | 'wallMs', number>;

/** What a fresh process has measured. */
export interface JobResult {
  load: Spent;
  /** The averages for one call of each batch. */
  batches: (Spent & Received)[];
  peakRssMb: number;
  /** The result of the last call: the returned value, or the stream's status. */
  answer: unknown;
}

type Handler = ((...parameters: unknown[]) => Promise<unknown>) & {
  /** Whether it takes (event, stream, context) rather than (event, context). */
  isStreaming?: boolean;
};

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

installLambdaDouble();
measure().then((result) => process.send!(result, () => process.exit()));

async function measure(): Promise<JobResult> {
  const stopwatch = startStopwatch();
  const handler = await load(job.bundleFile);
  const loaded = stopwatch();
  const batches: JobResult['batches'] = [];
  let answer: unknown;
  for (const calls of job.batches) {
    await received();
    const stopwatch = startStopwatch();
    for (let index = 0; index < calls; index++) answer = await answerOf(handler);
    const total = { ...stopwatch(), ...(await received()) };
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

/** As on Lambda, a response stream is a chunked HTTP request to a local server, so writing has the same cost. */
async function answerOf(handler: Handler): Promise<unknown> {
  if (!handler.isStreaming) return handler(job.event, context);
  const stream: LambdaStream = request(receiverUrl, { method: 'POST' });
  const ended = once(stream, 'response').then(([response]) => response.toArray());
  await handler(job.event, stream, context);
  await ended;
  return { statusCode: 200, ...stream.prelude };
}

function startStopwatch(): () => Spent {
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAtMs };
  };
}

async function received(): Promise<Received> {
  const [response] = await once(request(receiverUrl).end(), 'response');
  return (await json(response as IncomingMessage)) as Received;
}

/** Replaces the `awslambda` global of Lambda's Node runtime, and the log, which it opens before a function. */
function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: Handler) => Object.assign(handler, { isStreaming: true });
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
  process.stdout.write = () => true;
}
