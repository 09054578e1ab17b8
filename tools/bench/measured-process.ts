import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { lambdaContext } from '../../test/helpers/functions/events.ts';

/** The task of a fresh process: it loads a bundle and calls its handler, in batches. */
export interface Job {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** The number of calls in each batch. The batches before the measured batch warm up the process. */
  batches: number[];
}

/** The measurements of a fresh process. */
export interface JobResult {
  load: Usage;
  /** The averages for one call of each batch. */
  batches: Usage[];
  peakRssMb: number;
  /** The result of the last call: the returned value, or the stream's status. */
  answer: unknown;
}

interface Usage {
  cpuMs: number;
  wallMs: number;
  /** The requests to DynamoDB. */
  requests: number;
  /** The write units. A write of up to 1 KB takes one, even if its condition fails. */
  writeUnits: number;
  /** The bytes of streamed responses. */
  bytes: number;
}

type Handler = ((...parameters: unknown[]) => Promise<unknown>) & {
  /** Whether the handler takes (event, stream, context) instead of (event, context). */
  isStreaming?: boolean;
};

type LambdaStream = ClientRequest & { prelude?: { statusCode?: number } };

// This file is bundled, so that the fresh process loads nothing but this code and the function.
const context = lambdaContext(300_000);
const job = JSON.parse(process.argv[2]!) as Job;
const counts = { requests: 0, writeUnits: 0, bytes: 0 };

subscribe('http.client.request.start', (message) => {
  const target = (message as { request: ClientRequest }).request.getHeader('x-amz-target');
  if (target) counts.requests++;
  if (String(target).endsWith('.UpdateItem')) counts.writeUnits++;
});
installLambdaDouble();
measure().then((result) => process.send!(result, () => process.exit()));

async function measure(): Promise<JobResult> {
  let handler: Handler;
  const load = await usageOf(1, async () => {
    const module = job.bundleFile.endsWith('.mjs')
      ? await import(pathToFileURL(job.bundleFile).href)
      : createRequire(job.bundleFile)(job.bundleFile);
    handler = module.handler;
  });
  const batches: Usage[] = [];
  let answer: unknown;
  for (const calls of job.batches) {
    const usage = await usageOf(calls, async () => {
      for (let index = 0; index < calls; index++) answer = await answerOf(handler);
    });
    batches.push(usage);
  }
  return { load, batches, peakRssMb: process.resourceUsage().maxRSS / 1024, answer };
}

/** The average usage of some calls. */
async function usageOf(calls: number, work: () => Promise<void>): Promise<Usage> {
  Object.assign(counts, { requests: 0, writeUnits: 0, bytes: 0 });
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuAtStart);
  const wallMs = performance.now() - startedAtMs;
  const total: Usage = { cpuMs: (user + system) / 1000, wallMs, ...counts };
  const averages = Object.entries(total).map(([figure, value]) => [figure, value / calls]);
  return Object.fromEntries(averages);
}

/** Like on Lambda, a response stream is a chunked HTTP request to a local server, so writing has the same cost. */
async function answerOf(handler: Handler): Promise<unknown> {
  if (!handler.isStreaming) return handler(job.event, context);
  const stream: LambdaStream = request(process.env.RECEIVER_URL!, { method: 'POST' });
  const received = once(stream, 'response').then(([response]) => text(response));
  await handler(job.event, stream, context);
  counts.bytes += Number(await received);
  return { statusCode: 200, ...stream.prelude };
}

/** Replaces two parts of Lambda's runtime for Node: the global `awslambda`, and the log that the runtime opens. */
function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: Handler) => Object.assign(handler, { isStreaming: true });
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
  process.stdout.write = () => true;
}
