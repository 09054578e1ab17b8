import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { lambdaContext } from '../../test/helpers/functions/events.ts';

/** The task of a fresh process: it loads a bundle, and calls its handler. */
export interface Job {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** The calls before the measured calls. V8 compiles code that runs often, so the first calls take longer. */
  warmUps: number;
  calls: number;
}

/** The measurements of a fresh process. The values in the middle are averages for one of the measured calls. */
export interface Measurements {
  /** The time for loading the bundle and for the first call. */
  coldMs: number;
  cpuMs: number;
  /** The requests to DynamoDB. */
  requests: number;
  /** The write units. A write of up to 1 KB takes one, even if its condition fails. */
  writeUnits: number;
  /** The bytes of streamed responses. */
  bytes: number;
  peakRssMb: number;
  /** The result of the last call: the returned value, or the stream's status. */
  answer: unknown;
}

type Handler = ((...parameters: unknown[]) => Promise<unknown>) & {
  /** Whether the handler takes (event, stream, context) instead of (event, context). */
  isStreaming?: boolean;
};

/** A response stream that counts its bytes. */
class LambdaStream extends Writable {
  readonly prelude?: { statusCode: number };

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    counts.bytes += chunk.length;
    setImmediate(done);
  }
}

// This file is bundled, so that the fresh process loads nothing but this code and the function.
const context = lambdaContext(300_000);
const { bundleFile, event, warmUps, calls } = JSON.parse(process.argv[2]!) as Job;
const counts = { requests: 0, writeUnits: 0, bytes: 0 };

subscribe('http.client.request.start', (message) => {
  const target = (message as { request: ClientRequest }).request.getHeader('x-amz-target');
  if (target) counts.requests++;
  if (String(target).endsWith('.UpdateItem')) counts.writeUnits++;
});
installLambdaDouble();
measure().then((measurements) => process.send!(measurements, () => process.exit()));

async function measure(): Promise<Measurements> {
  const startedAtMs = performance.now();
  const { handler } = bundleFile.endsWith('.mjs')
    ? await import(pathToFileURL(bundleFile).href)
    : createRequire(bundleFile)(bundleFile);
  let answer = await answerOf(handler);
  const coldMs = performance.now() - startedAtMs;
  for (let call = 1; call < warmUps; call++) answer = await answerOf(handler);

  Object.assign(counts, { requests: 0, writeUnits: 0, bytes: 0 });
  const cpuAtStart = process.cpuUsage();
  for (let call = 0; call < calls; call++) answer = await answerOf(handler);
  const { user, system } = process.cpuUsage(cpuAtStart);
  const averages = Object.entries({ cpuMs: (user + system) / 1000, ...counts }).map(
    ([name, total]) => [name, total / (calls || 1)],
  );
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return { coldMs, ...Object.fromEntries(averages), peakRssMb, answer };
}

async function answerOf(handler: Handler): Promise<unknown> {
  if (!handler.isStreaming) return handler(event, context);
  const stream = new LambdaStream();
  await handler(event, stream, context);
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
