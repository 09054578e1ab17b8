import { ControlPlane } from './control-plane/control-plane.ts';
import { answerManagement } from './control-plane/management.ts';
import { databaseError } from './dynamodb/database-error.ts';
import { startEmbeddedDynamoDB } from './dynamodb/embedded-dynamodb.ts';
import { type GuardThread, startGuardThread } from './dynamodb/guard-thread.ts';
import { type Credentials, createIdentities, type Identities } from './dynamodb/identities.ts';
import { localDynamoDbClient, localRegion } from './dynamodb/local-client.ts';
import { createTables, readTables } from './dynamodb/tables.ts';
import { withoutPassword } from './dynamodb/upstream.ts';
import type { StartEnvironment } from './functions/execution-environment.ts';
import { FunctionRunner } from './functions/function-runner.ts';
import { type LambdaFunction, readFunctions } from './functions/lambda-functions.ts';
import { Gateway } from './gateway/gateway.ts';
import { readUsagePlans, UsageMeter } from './gateway/usage-plan.ts';
import { type Handler, startHttpServer } from './http-server.ts';
import { type DataDirectory, openDataDirectory } from './state/data-directory.ts';
import { GatewayState } from './state/gateway-state.ts';
import { readTemplate, type Template } from './template/template.ts';

export interface LocalServiceOptions {
  /** The synthesized template, or the wait for it: everything else starts meanwhile. */
  readonly templateFile: string | Promise<string>;
  /** The synthesized `….assets.json`. @default - the one beside the template */
  readonly assetsManifestFile?: string;
  readonly stackName: string;
  /** 0 for any free one. @default 0 */
  readonly port?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** A DynamoDB-compatible server. @default - an embedded one is started */
  readonly dynamodbEndpoint?: string;
  /** Where tables and gateway keys are kept. @default - in memory */
  readonly dataDirectory?: string;
  /** Milliseconds since the epoch, for the gateway; functions read the system's clock. */
  readonly now?: () => number;
  /** Takes a line of what happens. @default - to standard error */
  readonly log?: (line: string) => void;
  /** Answer requests in the gateway's place, such as for a page about the API. */
  readonly handlers?: readonly Handler[];
  /** What functions run in. @default - worker threads */
  readonly startEnvironment?: StartEnvironment;
  /** Runs when everything but the server is in place, before the first request can come. */
  readonly prepare?: (service: PreparedService) => Promise<void>;
  /** Stops the start, and with it whatever has been started. */
  readonly signal?: AbortSignal;
}

/** A service whose tables and keys can be used, and which does not answer requests yet. */
export interface PreparedService {
  readonly stage: string;
  /** Physical table names by logical id. */
  readonly tables: Readonly<Record<string, string>>;
  /** The stack's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Of the guard before DynamoDB, which answers who signs with the operator's credentials. */
  readonly dynamodbEndpoint: string;
  readonly operatorCredentials: Credentials;
  readonly controlPlane: ControlPlane;
  readonly dataDirectory: DataDirectory | undefined;
}

export interface LocalService extends PreparedService {
  /** Such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Settles when something that the service cannot do without has ended by itself. */
  readonly failed: Promise<Error>;
  /** Ends everything that was started. */
  close(): Promise<void>;
}

type Log = (line: string) => void;

interface Database {
  readonly endpoint: string;
  readonly isSerial: boolean;
  readonly ended: Promise<Error>;
  /** What it is and where, for people. */
  readonly shownName: string;
  /** What to do when it fails. */
  readonly remedy: string;
}

const environment = { region: localRegion, accountId: '000000000000' };
const databaseFile = 'dynamodb.sqlite';

/**
 * Runs a synthesized template on this machine: its tables, its functions and its REST API.
 *
 * @throws TemplateError for what the template has and the local run does not support
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  await using started = new AsyncDisposableStack();
  const service = await start(options, started);
  const running = started.move();
  return { ...service, close: () => running.disposeAsync() };
}

/** @param started takes everything that has to be ended, in the order in which it is started */
async function start(
  options: LocalServiceOptions,
  started: AsyncDisposableStack,
): Promise<Omit<LocalService, 'close'>> {
  const { stackName, signal, log = logToStandardError } = options;
  const templateReady = Promise.resolve(options.templateFile);
  // It is awaited below, unless something else fails first.
  templateReady.catch(() => {});
  const dataDirectory = options.dataDirectory
    ? await openDataDirectory(options.dataDirectory)
    : undefined;
  started.defer(() => dataDirectory?.release());
  // It loads its code while the template is synthesized.
  const guard = startGuardThread(log);
  started.defer(() => guard.close());
  const [templateFile, database] = await allOrNone([
    templateReady,
    provideDatabase(options, dataDirectory, started),
  ]);
  const template = readTemplate(templateFile, { ...environment, stackName });
  const identities = createIdentities(template);
  const { endpoint, isSerial } = database;
  const dynamodbEndpoint = await guard.listen({ endpoint, isSerial, identities });
  const { credentials } = identities.operator;
  const tables = await usingDatabase(
    database,
    provideTables(template, dynamodbEndpoint, credentials),
  );
  signal?.throwIfAborted();

  const { gateway, controlPlane } = createGateway(template, {
    assetsManifestFile: options.assetsManifestFile ?? manifestBeside(templateFile),
    dynamodbEndpoint,
    identities,
    dataDirectory,
    now: options.now ?? Date.now,
    log,
    started,
    startEnvironment: options.startEnvironment,
  });
  const prepared: PreparedService = {
    stage: gateway.stage.name,
    tables,
    outputs: template.outputs(),
    dynamodbEndpoint,
    operatorCredentials: credentials,
    controlPlane,
    dataDirectory,
  };
  if (options.prepare) await usingDatabase(database, options.prepare(prepared));
  signal?.throwIfAborted();
  const failed = Promise.race([database.ended, guard.ended]);
  return serve(prepared, { gateway, guard }, options, failed, started);
}

async function provideDatabase(
  { dynamodbEndpoint, signal }: LocalServiceOptions,
  dataDirectory: DataDirectory | undefined,
  started: AsyncDisposableStack,
): Promise<Database> {
  if (dynamodbEndpoint) {
    return {
      endpoint: dynamodbEndpoint,
      isSerial: false,
      ended: new Promise(() => {}),
      shownName: `DYNAMODB_ENDPOINT: ${withoutPassword(dynamodbEndpoint)}`,
      remedy: 'see to the server, correct the address, or leave the variable out',
    };
  }
  const file = dataDirectory?.pathOf(databaseFile);
  const embedded = await startEmbeddedDynamoDB({ databaseFile: file, signal });
  started.defer(() => embedded.close());
  return {
    ...embedded,
    isSerial: true,
    shownName: `the embedded DynamoDB ${file ? `with the data in ${file}` : 'in memory'}`,
    remedy: file
      ? 'make room on its disk, put a copy of the file back, or name another directory'
      : 'start again',
  };
}

/** @throws LocalRunError when the database fails, or ends meanwhile */
async function usingDatabase<T>(database: Database, work: Promise<T>): Promise<T> {
  const ended = database.ended.then((error) => Promise.reject(error));
  try {
    return await Promise.race([work, ended]);
  } catch (error) {
    throw databaseError(error, database.shownName, database.remedy);
  }
}

/** Physical table names by logical id. */
async function provideTables(
  template: Template,
  endpoint: string,
  credentials: Credentials,
): Promise<Record<string, string>> {
  const client = localDynamoDbClient(endpoint, credentials);
  const tables = readTables(template);
  await createTables(tables, client).finally(() => client.destroy());
  return Object.fromEntries(tables.map(({ logicalId, name }) => [logicalId, name]));
}

interface GatewaySurroundings {
  readonly assetsManifestFile: string;
  readonly dynamodbEndpoint: string;
  readonly identities: Identities;
  readonly dataDirectory: DataDirectory | undefined;
  readonly now: () => number;
  readonly log: Log;
  readonly started: AsyncDisposableStack;
  readonly startEnvironment: StartEnvironment | undefined;
}

function createGateway(template: Template, surroundings: GatewaySurroundings) {
  const { now, log, started } = surroundings;
  const state = new GatewayState(surroundings.dataDirectory, log);
  started.defer(() => state.close());
  const usagePlans = readUsagePlans(template);
  const controlPlane = new ControlPlane({
    usagePlans,
    now,
    state: state.keys,
    onChange: (keys) => state.saveKeys(keys),
  });
  const runner = new FunctionRunner({
    variablesOf: (lambda) => functionVariables(lambda, surroundings),
    log: (functionName, line) => log(`${functionName}: ${line}`),
    startEnvironment: surroundings.startEnvironment,
  });
  started.defer(() => runner.close());
  const gateway = new Gateway(template, {
    functions: readFunctions(template, surroundings.assetsManifestFile),
    usage: new UsageMeter(usagePlans, controlPlane, now, state.usage, () => state.saveUsageSoon()),
    invoke: (lambda, invocation, signal) => runner.invoke(lambda, invocation, signal),
    now,
    logFault: ({ type, cause }, requestId) => {
      if (cause) log(`gateway: ${requestId} ${type}: ${causeText(cause)}`);
    },
  });
  return { gateway, controlPlane };
}

/** What Lambda would have put into a function's environment: who it is, and where. */
function functionVariables(
  { logicalId }: LambdaFunction,
  { dynamodbEndpoint, identities }: GatewaySurroundings,
): Record<string, string> {
  const { accessKeyId, secretAccessKey } = identities.functions.get(logicalId)!.credentials;
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
    AWS_REGION: environment.region,
    AWS_DEFAULT_REGION: environment.region,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
  };
}

async function serve(
  prepared: PreparedService,
  { gateway, guard }: { gateway: Gateway; guard: GuardThread },
  options: LocalServiceOptions,
  failed: Promise<Error>,
  started: AsyncDisposableStack,
): Promise<Omit<LocalService, 'close'>> {
  const { controlPlane } = prepared;
  const stack = { stackName: options.stackName, outputs: prepared.outputs };
  const server = await startHttpServer({
    gateway,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    now: options.now ?? Date.now,
    log: options.log ?? logToStandardError,
    handlers: [
      ...(options.handlers ?? []),
      (incoming, outgoing) =>
        answerManagement(incoming, outgoing, {
          controlPlane,
          stack,
          forwardToDynamoDB: guard.forwardForOperator,
        }),
    ],
  });
  started.defer(() => server.close());
  stack.outputs = localOutputs(prepared.outputs, gateway.apiId, server.origin);
  return { ...prepared, outputs: stack.outputs, origin: server.origin, failed };
}

/** The outputs, with this server's address where the API's address in the cloud would stand. */
function localOutputs(outputs: Readonly<Record<string, string>>, apiId: string, origin: string) {
  const cloudOrigin = `https://${apiId}.execute-api.${environment.region}.amazonaws.com`;
  const entries = Object.entries(outputs).map(([name, value]) => [
    name,
    value.replace(cloudOrigin, origin),
  ]);
  return Object.fromEntries(entries);
}

/** Like `Promise.all`, but waits for all: what starts although another has failed must be ended. */
async function allOrNone<A, B>(promises: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function manifestBeside(templateFile: string): string {
  return templateFile.replace(/\.template\.json$/, '.assets.json');
}

function causeText(cause: unknown): string {
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === 'string' ? cause : JSON.stringify(cause);
}

function logToStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
