import { join } from 'node:path';
import { type OutputName, stackName, usagePlanOutput } from '../../lib/settings/names.ts';
import { forEachPlan } from '../../lib/settings/plans.ts';
import { type StageName, stageSettings } from '../../lib/settings/stages.ts';
import { type OrdersTable, ordersTable } from '../admin/orders/orders-table.ts';
import { documentClient, type KeyStore } from '../admin/stage/key-store.ts';
import { localDynamoDbClient } from '../local/dynamodb/local-client.ts';
import type { Handler } from '../local/http-server.ts';
import { type LocalService, type PreparedService, startLocalService } from '../local/server.ts';
import { type DemoKeys, keyGateway, provideDemoKeys } from './demo-keys.ts';
import { exampleOrderId, loadFile, loadSample } from './demo-orders.ts';
import type { LocalOptions } from './local-options.ts';
import type { ReferencePageOptions } from './reference-page.ts';
import type { RunConsole } from './run-console.ts';
import { synthesize } from './synthesis.ts';

/** The store's service as `npm start` runs it. */
export interface StoreService extends LocalService {
  /** The URL that the contract's paths are relative to. */
  readonly baseUrl: string;
  readonly keys: DemoKeys;
  readonly ordersTable: string;
  readonly apiKeysTable: string;
  /** Reads the id of an order that can be cancelled, or of any; undefined in an empty store. */
  readonly exampleOrderId: () => Promise<string | undefined>;
}

interface RunEnvironment {
  /** The DynamoDB-compatible server to use; undefined for an embedded one. */
  readonly dynamodbEndpoint: string | undefined;
  /** The folder for the files of this run. */
  readonly directory: string;
  /** Prints the log of the run and the requests. */
  readonly console: RunConsole;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

/** The path that the contract's paths are relative to, such as `/staging/v1`. */
export function basePathOf(stage: StageName): string {
  return `/${stage}/v1`;
}

/**
 * Starts the service with demo keys and orders.
 *
 * @throws OperatorError or LocalRunError for a problem that the user can solve
 */
export async function startStoreService(
  options: LocalOptions,
  { dynamodbEndpoint, directory, console, signal: stop }: RunEnvironment,
): Promise<StoreService> {
  const { port, host, stage, data } = options;
  await using started = new AsyncDisposableStack();
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  // The synthesis ends with a start that fails.
  started.defer(() => failing.abort());
  const templateFile = synthesize(stage, join(directory, 'assembly'), signal);
  templateFile.catch(() => {});
  const isRebuilt = options.watch || options.inspect !== undefined;
  const liveCode = isRebuilt ? started.use(await createLiveCode(options, directory)) : undefined;
  let keys: DemoKeys | undefined;
  let readExample: () => Promise<string | undefined> = async () => undefined;
  const service = await startLocalService({
    templateFile: Promise.all([templateFile, liveCode?.built]).then(([file]) => file),
    stackName: stackName(stage),
    port,
    host,
    dynamodbEndpoint,
    dataDirectory: data && join(data, stackName(stage)),
    log: console.log,
    logFunction: console.logFunction,
    onAnswered: console.onAnswered,
    codeOf: liveCode?.folderOf,
    hasTimeLimits: options.inspect === undefined,
    signal,
    handlers: [
      referencePages(stage, { demoKeys: () => keys!, exampleOrderId: () => readExample() }),
    ],
    prepare: async (prepared) => {
      readExample = () => withOrdersTable(prepared, exampleOrderId);
      keys = await fillStore(prepared, options, signal);
    },
  });
  started.defer(() => service.close());
  if (options.watch) {
    const { startWatching } = await import('./watch/watch.ts');
    started.use(startWatching(service, liveCode!, console));
  }
  const running = started.move();
  return {
    ...service,
    baseUrl: `${service.origin}${basePathOf(stage)}`,
    keys: keys!,
    ordersTable: outputsOf(service).OrdersTableName,
    apiKeysTable: outputsOf(service).ApiKeysTableName,
    exampleOrderId: () => readExample(),
    close: () => running.disposeAsync(),
  };
}

/** Loads the module on demand, because it loads the bundler. */
async function createLiveCode({ inspect }: LocalOptions, directory: string) {
  const { LiveCode } = await import('./watch/live-code.ts');
  return new LiveCode(join(directory, 'live'), inspect !== undefined);
}

async function fillStore(
  service: PreparedService,
  { stage, orders }: LocalOptions,
  signal: AbortSignal,
): Promise<DemoKeys> {
  const { controlPlane, dynamodbEndpoint, operatorCredentials, dataDirectory } = service;
  const outputs = outputsOf(service);
  const client = localDynamoDbClient(dynamodbEndpoint, operatorCredentials);
  const store: KeyStore = {
    documents: documentClient(client),
    gateway: keyGateway(controlPlane),
    apiKeysTable: outputs.ApiKeysTableName,
    ownersTable: outputs.OwnersTableName,
    usagePlanIds: forEachPlan((plan) => outputs[usagePlanOutput(plan)]),
    stackName: stackName(stage),
    tokenPrefix: stageSettings(stage).apiKeyPrefix,
    now: Date.now,
  };
  try {
    const [keys] = await Promise.all([
      provideDemoKeys(store, dataDirectory),
      withOrdersTable(service, (table) =>
        orders ? loadFile(orders, table, signal) : loadSample(table),
      ),
    ]);
    return keys;
  } finally {
    client.destroy();
  }
}

/** The outputs of the service's stack, which has one of each name. */
function outputsOf({ outputs }: PreparedService): Readonly<Record<OutputName, string>> {
  return outputs as Record<OutputName, string>;
}

async function withOrdersTable<T>(
  service: PreparedService,
  use: (table: OrdersTable) => Promise<T>,
): Promise<T> {
  const client = localDynamoDbClient(service.dynamodbEndpoint, service.operatorCredentials);
  try {
    return await use(ordersTable(client, outputsOf(service).OrdersTableName));
  } finally {
    client.destroy();
  }
}

/** The handler of the API reference. Its module is loaded with the first request for a page. */
function referencePages(
  stage: StageName,
  sources: Pick<ReferencePageOptions, 'demoKeys' | 'exampleOrderId'>,
): Handler {
  let page: Promise<Handler> | undefined;
  return async (incoming, outgoing) => {
    if (!/^\/(?:$|\?|openapi\.yaml|reference\/)/.test(incoming.url ?? '')) return false;
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return false;
    page ??= import('./reference-page.ts').then(({ referencePage }) =>
      referencePage({
        ...sources,
        basePath: basePathOf(stage),
        openapiFile: join(import.meta.dirname, '../../openapi.yaml'),
      }),
    );
    return (await page)(incoming, outgoing);
  };
}
