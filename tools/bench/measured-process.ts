import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { lambdaContext } from '../../test/helpers/functions/events.ts';

/** The task of a fresh process: it loads a bundle, and calls its handler. */
export interface Job {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** The number of calls before the measured calls. These calls take longer, until V8 has compiled the code. */
  warmUps: number;
  calls: number;
}

/** The measurements of a fresh process. */
export interface Measurements {
  /** The time for loading the bundle and for the first call. */
  coldMs: number;
  /** The average for one of the measured calls. */
  cpuMs: number;
  /** The bytes of the last streamed response. */
  bytes: number;
  peakRssMb: number;
  /** The result of the last call: the returned value or, if the handler streams, the status. */
  answer: unknown;
}

type Handler = (...parameters: unknown[]) => Promise<unknown>;

/** A response stream that counts its bytes. */
class LambdaStream extends Writable {
  readonly prelude?: { statusCode: number };
  bytes = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytes += chunk.length;
    setImmediate(done);
  }
}

// This file is bundled, so that the fresh process loads nothing but this code and the function.
const context = lambdaContext(300_000);
const { bundleFile, event, warmUps, calls } = JSON.parse(process.argv[2]!) as Job;
let bytes = 0;

installLambdaDouble();
measure().then((measurements) => process.send!(measurements, () => process.exit()));

async function measure(): Promise<Measurements> {
  const startedAtMs = performance.now();
  const { handler } = bundleFile.endsWith('.mjs')
    ? await import(pathToFileURL(bundleFile).href)
    : createRequire(bundleFile)(bundleFile);
  let answer = await handler(event, context);
  const coldMs = performance.now() - startedAtMs;
  for (let call = 1; call < warmUps; call++) answer = await handler(event, context);

  const cpuAtStart = process.cpuUsage();
  for (let call = 0; call < calls; call++) answer = await handler(event, context);
  const { user, system } = process.cpuUsage(cpuAtStart);
  const cpuMs = (user + system) / 1_000 / (calls || 1);
  const peakRssMb = process.resourceUsage().maxRSS / 1_024;
  return { coldMs, cpuMs, bytes, peakRssMb, answer };
}

/** Replaces two parts of Lambda's runtime for Node: the global `awslambda`, and the log that the runtime opens. */
function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: Handler) => async (event: unknown, context: unknown) => {
    const stream = new LambdaStream();
    await handler(event, stream, context);
    bytes = stream.bytes;
    return { statusCode: 200, ...stream.prelude };
  };
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
  process.stdout.write = () => true;
}
