import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { generate } from 'selfsigned';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { handlerEntries } from '../../lib/settings/functions.ts';
import { plans } from '../../lib/settings/plans.ts';
import { DynamodbProxy } from '../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { functionEnvironment } from '../../test/helpers/functions/function-environment.ts';
import { counterTable, replyFor, type Tables } from './canned-dynamodb.ts';
import type { Job, Measurements } from './measured-process.ts';

/** The bundles that the jobs share, and a double of DynamoDB. */
export type Workbench = Awaited<ReturnType<typeof setUpWorkbench>>;

/** The peers and the measuring program. They are bundled with the same options as the functions. */
const ownEntries = {
  documentClient: 'tools/bench/peers/list-document-client.ts',
  rateLimiterFlexible: 'tools/bench/peers/authorizer-rate-limiter-flexible.ts',
  measuredProcess: 'tools/bench/measured-process.ts',
};

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
};

/** @param isQuick whether the jobs use small sizes and one round, to verify that the benchmark works */
export async function setUpWorkbench(isQuick: boolean) {
  const home = mkdtempSync(join(tmpdir(), 'bench-'));
  const certificateFile = join(home, 'certificate.pem');
  const [ours, byDefault, own, dynamodb] = await Promise.all([
    bundle(handlerEntries, join(home, 'ours'), bundlingOptions),
    bundle(handlerEntries, join(home, 'default'), defaultOptions),
    bundle(ownEntries, join(home, 'own'), { ...bundlingOptions, sourcemap: false }),
    startDynamodb(certificateFile),
  ]);
  const lambda = { AWS_SESSION_TOKEN: 'benchmark', AWS_LAMBDA_FUNCTION_NAME: 'benchmark' };
  const variables = { ...functionEnvironment, ...lambda, PLANS: JSON.stringify(plans) };
  // An empty home, because a function has no ~/.aws, and the process must not read the user's ~/.aws.
  const env = {
    HOME: home,
    ...variables,
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    COUNTERS_TABLE: counterTable,
  };
  return {
    bundles: { ours, byDefault, own },
    isQuick,
    /**
     * Does a job in a new process, and prints a dot.
     *
     * @param answer has to match the handler's last answer, as JSON
     * @throws Error if the answer does not match, or if the process fails, which prints the reason on stderr
     */
    async measure(job: Job, answer: RegExp, tables: Tables) {
      dynamodb.reply = (call) => replyFor(call, tables)(call);
      const measured = fork(own.measuredProcess, [JSON.stringify(job)], { execArgv: [], env });
      const exited = once(measured, 'exit').then(() => []);
      const [result] = (await Promise.race([once(measured, 'message'), exited])) as [Measurements?];
      await exited;
      process.stdout.write('.');
      const found = JSON.stringify(result?.answer);
      if (!result || !answer.test(found)) {
        throw new Error(`${job.bundleFile} answered ${found}, expected ${answer}`);
      }
      const requests = dynamodb.requests.splice(0);
      // A write of up to 1 KB takes a unit, even if its condition fails.
      const writes = requests.filter(({ operation }) => operation === 'UpdateItem');
      const calls = job.warmUps + job.calls;
      return {
        ...result,
        /** The average requests to DynamoDB of one call, and its write units. */
        requests: requests.length / calls,
        writeUnits: writes.length / calls,
      };
    },
    async [Symbol.asyncDispose]() {
      await dynamodb[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
}

/** Starts a server in place of DynamoDB in this process, and writes its certificate into a file. */
async function startDynamodb(certificateFile: string): Promise<DynamodbProxy> {
  // The server uses HTTPS, because the SDK loads another handler for HTTPS than for HTTP. A certificate with this name
  // is also valid for 127.0.0.1.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  writeFileSync(certificateFile, cert);
  return DynamodbProxy.start(() => {}, { certificate: { key, cert } });
}

/** Bundles each entry, and returns the bundles' files by the entries' names. */
async function bundle<Name extends string>(
  entryPoints: Record<Name, string>,
  outdir: string,
  options: BuildOptions,
): Promise<Record<Name, string>> {
  await build({ ...options, entryPoints, outdir, logLevel: 'error' });
  const extension = options.outExtension?.['.js'] ?? '.js';
  const files = Object.keys(entryPoints).map((name) => [name, join(outdir, name + extension)]);
  return Object.fromEntries(files);
}
