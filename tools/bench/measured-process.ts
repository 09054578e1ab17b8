import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { Job } from './comparisons.ts';

/** The measurements of a fresh process, which it prints as JSON. */
export interface Measurements {
  /**
   * The average for one of the measured calls. This is the time of all threads, which other load on the machine affects
   * less than the elapsed time. Lambda allots CPU time to a function.
   */
  cpuMs: number;
  peakRssMb: number;
  /** What the last call returned. If the handler streams, the status and the length of the response. */
  answer: { statusCode?: number; bytes?: number };
}

type Handler = (...parameters: unknown[]) => Promise<Measurements['answer']>;

/** A response stream that counts its bytes. */
class LambdaStream extends Writable {
  statusCode = 200;
  bytes = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytes += chunk.length;
    setImmediate(done);
  }
}

/** The global that Lambda's runtime defines before it loads a function. */
const awslambda = {
  HttpResponseStream: {
    from: (stream: LambdaStream, { statusCode }: { statusCode: number }) =>
      Object.assign(stream, { statusCode }),
  },
  streamifyResponse: (handler: Handler) => async (event: unknown, context: unknown) => {
    const stream = new LambdaStream();
    await handler(event, stream, context);
    return { statusCode: stream.statusCode, bytes: stream.bytes };
  },
};

Object.assign(globalThis, { awslambda });
// Lambda's runtime reads the log of a function from its output.
process.stdout.write = () => true;
measure(JSON.parse(process.argv[2]!)).then((measurements) => {
  writeSync(process.stdout.fd, JSON.stringify(measurements));
  process.exit();
});

async function measure({ bundle, event, warmUps, calls }: Job): Promise<Measurements> {
  const context = { awsRequestId: 'benchmark', getRemainingTimeInMillis: () => 300_000 };
  const file = resolve(bundle);
  let cpuAtStart = process.cpuUsage();
  const isModule = file.endsWith('.mjs');
  const { handler }: { handler: Handler } = isModule
    ? await import(file)
    : createRequire(file)(file);
  for (let call = 0; call < warmUps; call++) await handler(event, context);

  if (warmUps > 0) cpuAtStart = process.cpuUsage();
  let answer = {};
  for (let call = 0; call < calls; call++) answer = await handler(event, context);
  const { user, system } = process.cpuUsage(cpuAtStart);
  const cpuMs = (user + system) / 1_000 / calls;
  return { cpuMs, peakRssMb: process.resourceUsage().maxRSS / 1_024, answer };
}
