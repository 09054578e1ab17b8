import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleFile, type Bundles, buildBundles } from './bundles.ts';
import { apiKeysTable, type CannedServers, counterTable } from './canned-dynamodb.ts';
import { type OrdersTable, ordersTableName } from './canned-orders.ts';
import { listEvent } from './events.ts';
import type { Job, JobResults } from './measured-process.ts';

/** What all parts of the benchmark share. */
export interface Workbench {
  bundles: Bundles;
  /**
   * Runs a job in a new process, and resolves with its result.
   *
   * @throws Error if the process fails, after it has written the reason to stderr
   */
  measure<Kind extends Job['kind']>(
    job: Extract<Job, { kind: Kind }>,
    environment?: Record<string, string>,
  ): Promise<JobResults[Kind]>;
  /** Uses small sizes and one round, to verify that the benchmark works. */
  isQuick: boolean;
  close(): void;
}

const directory = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

/** Builds the bundles and starts the canned DynamoDB in a separate process. */
export async function setUpWorkbench(isQuick: boolean): Promise<Workbench> {
  // Each run has its own folder, because two can run at the same time.
  const home = join(directory, String(process.pid));
  mkdirSync(home, { recursive: true });
  const child = fork(fileURLToPath(new URL('canned-dynamodb.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [bundles, [servers]] = await Promise.all([buildBundles(home), once(child, 'message')]);
  const lambdaVariables = lambdaEnvironment(home, servers as CannedServers);
  return {
    bundles,
    isQuick,
    async measure(job, environment = {}) {
      const measured = fork(bundles.measureFile, [JSON.stringify(job)], {
        env: { ...lambdaVariables, ...environment },
        execArgv: [],
        // The functions' log on stdout is discarded, because Lambda processes it outside of them.
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const messages: unknown[] = [];
      measured.on('message', (message) => messages.push(message));
      await once(measured, 'exit');
      if (messages.length === 0) throw new Error(`Measuring ${job.bundleFile} failed.`);
      return messages[0] as JobResults[typeof job.kind];
    },
    close() {
      child.disconnect();
      rmSync(home, { recursive: true });
    },
  };
}

/** The variables that Lambda sets for every function, and those of our functions. */
function lambdaEnvironment(
  home: string,
  { certificate, endpoint, receiverUrl }: CannedServers,
): Record<string, string> {
  const certificateFile = join(home, 'certificate.pem');
  writeFileSync(certificateFile, certificate);
  return {
    // A function has no ~/.aws, so the user's must not be read.
    HOME: home,
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    RECEIVER_URL: receiverUrl,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    AWS_SESSION_TOKEN: 'benchmark',
    AWS_LAMBDA_FUNCTION_NAME: 'benchmark',
    STAGE: 'staging',
    API_KEYS_TABLE: apiKeysTable,
    API_KEY_PREFIX: 'so_test_',
    COUNTERS_TABLE: counterTable,
    BAN_RULES: '{"enterprise":{"toleratedRejectionsPerMinute":5000,"banSeconds":300}}',
  };
}

/** The canned table to list, and the form of the request. */
export interface ListRequest extends Partial<OrdersTable> {
  readonly orders: number;
  readonly isGzipAccepted?: boolean;
  /** @default true */
  readonly isStreaming?: boolean;
  /** @default 1 */
  readonly calls?: number;
  /** @default false */
  readonly isChecked?: boolean;
}

/** Lists a canned table in a fresh process. */
export function listTable(
  { measure }: Workbench,
  { file }: BundleFile,
  request: ListRequest,
): Promise<JobResults['list']> {
  const { isGzipAccepted, isStreaming = true, calls = 1, isChecked = false, ...table } = request;
  const event = listEvent(isGzipAccepted ? { 'Accept-Encoding': 'gzip' } : {});
  return measure(
    { kind: 'list', bundleFile: file, event, isStreaming, calls, isChecked },
    { ORDERS_TABLE: ordersTableName(table) },
  );
}

/**
 * Runs all contestants in turn in each round, so that other load on the machine affects all of them
 * equally.
 *
 * @returns the results of each contestant, one for each round
 */
export async function interleave<Name extends string, Result>(
  rounds: number,
  contestants: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contestants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name]!.push(await contestants[name]());
  }
  return results as Record<Name, Result[]>;
}
