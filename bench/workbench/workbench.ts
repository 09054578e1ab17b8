import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiKeysTable, counterTable } from '../doubles/canned-dynamodb.ts';
import { type Bundles, buildBundles } from './bundles.ts';
import {
  createFreshProcess,
  type Environment,
  type MeasureInFreshProcess,
} from './fresh-process.ts';

/** What all parts of the benchmark share. */
export interface Workbench {
  bundles: Bundles;
  measure: MeasureInFreshProcess;
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
  const certificateFile = join(home, 'certificate.pem');
  const [bundles, server] = await Promise.all([buildBundles(home), startServer(certificateFile)]);
  const measure = createFreshProcess(
    bundles.measureFile,
    lambdaEnvironment(home, certificateFile, server),
  );
  const close = () => {
    server.close();
    rmSync(home, { recursive: true });
  };
  return { bundles, measure, isQuick, close };
}

interface CannedServer {
  endpoint: string;
  receiverUrl: string;
}

async function startServer(certificateFile: string) {
  const file = fileURLToPath(new URL('../doubles/canned-dynamodb-process.ts', import.meta.url));
  const child = fork(file, [certificateFile], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [server] = (await once(child, 'message')) as [CannedServer];
  return { ...server, close: () => child.disconnect() };
}

function lambdaEnvironment(
  home: string,
  certificateFile: string,
  { endpoint, receiverUrl }: CannedServer,
): Environment {
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
