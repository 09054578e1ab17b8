import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ordersTable } from '../admin/orders/orders-table.ts';
import { documentClient, type KeyStore } from '../admin/stage/key-store.ts';
import { type OutputName, stackName, usagePlanOutput } from '../lib/settings/names.ts';
import { forEachPlan } from '../lib/settings/plans.ts';
import { type StageName, stageSettings } from '../lib/settings/stages.ts';
import { localDynamoDbClient } from '../local/dynamodb/local-client.ts';
import { withoutPassword } from '../local/dynamodb/upstream.ts';
import type { Handler } from '../local/http-server.ts';
import { type LocalService, type PreparedService, startLocalService } from '../local/server.ts';
import { InvalidValueError, OperatorError, reasonOf } from '../shared/errors.ts';
import { makeDirectory } from '../shared/make-directory.ts';
import type { RunConsole } from './console/run-console.ts';
import { type DemoKeys, keyGateway, provideDemoKeys } from './demo-keys.ts';
import { checkOrdersFile, provideOrders } from './demo-orders.ts';
import { exampleOrderId } from './example-order.ts';
import type { LocalOptions } from './local-options.ts';
import type { ReferencePageOptions } from './reference-page.ts';
import { type Synthesis, synthesize } from './synthesis.ts';

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
  /** Prints the log of the run and the requests. */
  readonly console: RunConsole;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

const endpointTimeoutMs = 5_000;

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
  environment: RunEnvironment,
): Promise<StoreService> {
  await checkAddress(options);
  if (options.data !== undefined) makeDataDirectory(options.data);
  if (environment.dynamodbEndpoint) await checkEndpoint(environment.dynamodbEndpoint);
  const failing = new AbortController();
  const signal = AbortSignal.any([environment.signal, failing.signal]);
  signal.throwIfAborted();
  const synthesis = synthesize(options.stage, signal);
  try {
    return await start(options, synthesis, { ...environment, signal });
  } catch (error) {
    failing.abort();
    await synthesis.templateFile.catch(() => {});
    synthesis.remove();
    throw error;
  }
}

async function start(
  options: LocalOptions,
  synthesis: Synthesis,
  environment: RunEnvironment,
): Promise<StoreService> {
  const { dynamodbEndpoint, console, signal } = environment;
  const { port, host, stage, data, orders } = options;
  await using started = new AsyncDisposableStack();
  const isRebuilt = options.watch || options.inspect !== undefined;
  const liveCode = isRebuilt ? started.use(await createLiveCode(options, synthesis)) : undefined;
  let keys: DemoKeys | undefined;
  let readExample: () => Promise<string | undefined> = async () => undefined;
  const checked = orders ? checkOrdersFile(orders, signal) : Promise.resolve();
  const ready = Promise.all([synthesis.templateFile, checked, liveCode?.built]);
  const service = await startLocalService({
    templateFile: ready.then(([file]) => file),
    stackName: synthesis.stackName,
    port,
    host,
    dynamodbEndpoint,
    dataDirectory: data && join(data, synthesis.stackName),
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
      readExample = () => readExampleOrderId(prepared);
      keys = await fillStore(prepared, options, environment);
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
    close: async () => {
      await running.disposeAsync();
      synthesis.remove();
    },
  };
}

/** Loads the module on demand, because it loads the bundler. */
async function createLiveCode({ inspect }: LocalOptions, { directory }: Synthesis) {
  const { LiveCode } = await import('./watch/live-code.ts');
  return new LiveCode(join(directory, 'live'), inspect !== undefined);
}

async function fillStore(
  service: PreparedService,
  { stage, orders }: LocalOptions,
  { console, signal }: RunEnvironment,
): Promise<DemoKeys> {
  const { controlPlane, dynamodbEndpoint, operatorCredentials, dataDirectory } = service;
  const outputs = outputsOf(service);
  const clientOf = () => localDynamoDbClient(dynamodbEndpoint, operatorCredentials);
  const [forKeys, forOrders] = [clientOf(), clientOf()];
  const store: KeyStore = {
    documents: documentClient(forKeys),
    gateway: keyGateway(controlPlane),
    apiKeysTable: outputs.ApiKeysTableName,
    ownersTable: outputs.OwnersTableName,
    usagePlanIds: forEachPlan((plan) => outputs[usagePlanOutput(plan)]),
    stackName: stackName(stage),
    tokenPrefix: stageSettings(stage).apiKeyPrefix,
    now: Date.now,
  };
  const table = ordersTable(forOrders, outputs.OrdersTableName);
  const failing = new AbortController();
  const work = [
    provideDemoKeys(store, dataDirectory),
    provideOrders(orders, table, AbortSignal.any([signal, failing.signal])),
  ] as const;
  try {
    const [keys, isLoaded] = await Promise.all(work);
    if (!isLoaded)
      console.log(
        `The orders of an earlier run are kept${orders ? `; ${orders} is not loaded` : ''}.`,
      );
    return keys;
  } finally {
    // If one has failed, the other must end before its client is destroyed.
    failing.abort();
    await Promise.allSettled(work);
    forKeys.destroy();
    forOrders.destroy();
  }
}

/** The outputs of the service's stack, which has one of each name. */
function outputsOf({ outputs }: PreparedService): Readonly<Record<OutputName, string>> {
  return outputs as Record<OutputName, string>;
}

async function readExampleOrderId(service: PreparedService): Promise<string | undefined> {
  const client = localDynamoDbClient(service.dynamodbEndpoint, service.operatorCredentials);
  try {
    return await exampleOrderId(ordersTable(client, outputsOf(service).OrdersTableName));
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
        openapiFile: join(import.meta.dirname, '../openapi.yaml'),
      }),
    );
    return (await page)(incoming, outgoing);
  };
}

/** @throws OperatorError when the directory is not there and cannot be created */
function makeDataDirectory(path: string): void {
  try {
    makeDirectory(path, 0o700);
  } catch (cause) {
    const expected = `a directory in which data can be kept (${reasonOf(cause)})`;
    throw new InvalidValueError('--data', path, expected);
  }
}

/** Checks the address before anything is started. @throws OperatorError when it is not available */
async function checkAddress({ host, port }: LocalOptions): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (cause) {
    throw addressError(cause as NodeJS.ErrnoException, host, port);
  }
  probe.close();
  await once(probe, 'close');
}

function addressError(cause: NodeJS.ErrnoException, host: string, port: number): OperatorError {
  if (cause.code === 'EADDRINUSE') {
    const remedy = 'stop that, choose another port, or 0 for any that is free';
    return new OperatorError(`--port: ${port} is in use by another program; ${remedy}`, { cause });
  }
  if (cause.code === 'EACCES') {
    const remedy = 'choose one from 1024, or 0 for any that is free';
    return new OperatorError(`--port: ${port} is not allowed for this user; ${remedy}`, { cause });
  }
  const remedy = 'give an address of this machine, such as 127.0.0.1';
  return new OperatorError(
    `--host: "${host}" cannot be listened on (${reasonOf(cause)}); ${remedy}`,
    {
      cause,
    },
  );
}

/** @throws OperatorError when no server answers at the endpoint */
async function checkEndpoint(endpoint: string): Promise<void> {
  try {
    await (await fetchFrom(endpoint)).arrayBuffer();
  } catch (cause) {
    const hasTimedOut = (cause as Error).name === 'TimeoutError';
    const reason = hasTimedOut
      ? `not within ${endpointTimeoutMs / 1_000} seconds`
      : reasonOf((cause as Error).cause ?? cause);
    const remedy = 'start the server, correct the address, or leave the variable out';
    const message = `DYNAMODB_ENDPOINT: ${withoutPassword(endpoint)} does not answer (${reason}); ${remedy}`;
    throw new OperatorError(message, { cause });
  }
}

/** Sends the user and password of the URL in a header, because `fetch` refuses such URLs. */
function fetchFrom(endpoint: string): Promise<Response> {
  const url = new URL(endpoint);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const signal = AbortSignal.timeout(endpointTimeoutMs);
  if (username === '') return fetch(url, { signal });
  const user = [username, password].map(decodeURIComponent).join(':');
  return fetch(url, { headers: { Authorization: `Basic ${btoa(user)}` }, signal });
}
