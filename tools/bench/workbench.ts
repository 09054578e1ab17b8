import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { generate } from 'selfsigned';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { handlerEntries } from '../../lib/settings/functions.ts';
import { plans } from '../../lib/settings/plans.ts';
import { DynamodbProxy } from '../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { functionEnvironment } from '../../test/helpers/functions/function-environment.ts';
import { replyTo } from './canned-dynamodb.ts';
import type { Job } from './comparisons.ts';
import type { Measurements } from './measured-process.ts';

/** The measurements of a job. Its response has `bytesPerPage` for each page of the table, or 0 without a list. */
export interface Measured extends Measurements {
  bytesPerPage: number;
}

/** esbuild's default: `--bundle --platform=node --format=esm`. */
const defaultOptions: BuildOptions = {
  absWorkingDir: bundlingOptions.absWorkingDir!,
  bundle: true,
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // The SDK's CommonJS packages call `require`, which an ES module does not have.
  banner: {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  },
  logLevel: 'error',
};

/** The peers and the measuring program. They are bundled with the same options as the functions. */
const peers = {
  documentClient: 'tools/bench/peers/list-document-client.ts',
  rateLimiterFlexible: 'tools/bench/peers/authorizer-rate-limiter-flexible.ts',
  measuredProcess: 'tools/bench/measured-process.ts',
};

/** Bundles what the jobs need, and starts a double of DynamoDB. */
export async function setUpWorkbench() {
  const home = mkdtempSync(join(tmpdir(), 'bench-'));
  // The server uses HTTPS, because the SDK loads another handler for HTTPS than for HTTP. A certificate with this name
  // is also valid for 127.0.0.1.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  const certificateFile = join(home, 'certificate.pem');
  writeFileSync(certificateFile, cert);
  const [dynamodb] = await Promise.all([
    DynamodbProxy.start(() => {}, { certificate: { key, cert } }),
    build({ ...bundlingOptions, entryPoints: handlerEntries, outdir: join(home, 'ours') }),
    build({ ...defaultOptions, entryPoints: handlerEntries, outdir: join(home, 'default') }),
    build({ ...bundlingOptions, entryPoints: peers, outdir: join(home, 'peers') }),
  ]);
  const env = {
    ...functionEnvironment,
    // An empty home, because a function has no ~/.aws, and the process must not read the user's ~/.aws.
    HOME: home,
    AWS_SESSION_TOKEN: 'benchmark',
    AWS_LAMBDA_FUNCTION_NAME: 'benchmark',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    NODE_EXTRA_CA_CERTS: certificateFile,
    PLANS: JSON.stringify(plans),
  };
  return {
    /** Does a job in a new process. @throws Error if the process fails, or if the answer is not the job's */
    async measure(job: Job): Promise<Measured> {
      dynamodb.reply = (call) => replyTo(call, job)(call);
      const words = ['peers/measuredProcess.js', JSON.stringify(job)];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: home, env });
      const measurements: Measurements = JSON.parse(stdout);
      const answer = JSON.stringify(measurements.answer);
      if (!job.answer.test(answer)) {
        throw new Error(`${job.bundle} answered ${answer}, expected ${job.answer}`);
      }
      const bytesPerPage = Math.round((measurements.answer.bytes ?? 0) / job.pages);
      return { ...measurements, bytesPerPage };
    },
    async [Symbol.asyncDispose]() {
      await dynamodb[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
}
