import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { Gateway } from './api-gateway/gateway.ts';
import { DataDirectory } from './data-directory.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from './dynamodb/embedded-dynamodb.ts';
import { startDynamoDBGuard } from './dynamodb/guard.ts';
import { createIdentities } from './dynamodb/identities.ts';
import { localDynamoDbClient, localRegion } from './dynamodb/local-client.ts';
import { LocalRunError } from './errors.ts';
import { type Handler, type HttpServerOptions, startHttpServer } from './http-server.ts';
import type { FunctionSurroundings } from './lambda/function-code.ts';
import { loadFunctions } from './lambda/functions.ts';
import { ControlPlane } from './management/control-plane.ts';
import { answerManagement } from './management/management.ts';
import { readTemplate, type Template } from './template/template.ts';

interface LocalServiceOptions
  extends Partial<Pick<HttpServerOptions, 'host' | 'now' | 'onAnswered' | 'port'>> {
  /** The template, with the stack's `….assets.json` in the same folder. Everything else starts before it is ready. */
  readonly templateFile: string | Promise<string>;
  readonly stackName: string;
  /** A DynamoDB-compatible server. @default - an embedded one is started */
  readonly dynamodbEndpoint?: string;
  /** The directory that keeps the tables. @default - in memory */
  readonly dataDirectory?: string;
  readonly log: (line: string) => void;
  /** Takes a line that a function logged. @default - passes it to `log` with the function's name */
  readonly logFunction?: FunctionSurroundings['log'];
  /** Called before the service listens. Returns handlers that can answer instead of the gateway. */
  readonly prepare?: (service: PreparedService) => Promise<readonly Handler[]>;
  /** Aborts the start and ends everything that has been started. */
  readonly signal?: AbortSignal;
}

/** A service whose tables and keys can be used, but which does not listen for requests yet. */
export interface PreparedService {
  readonly stage: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** A client that may do everything. */
  readonly dynamodb: DynamoDBClient;
  readonly controlPlane: ControlPlane;
  readonly dataDirectory: DataDirectory | undefined;
}

export interface LocalService extends PreparedService {
  /** The URL without a path, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Resolves when the database ends unexpectedly. */
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

type Database = Pick<EmbeddedDynamoDB, 'endpoint' | 'ended' | 'failure'>;

const environment = { region: localRegion, accountId: '000000000000' };
const databaseFileName = 'dynamodb.sqlite';

/** Runs a template's tables, functions and REST API. @throws TemplateError for an unsupported part */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  await using started = new AsyncDisposableStack();
  const { stackName, signal, log, now = Date.now } = options;
  const dataReady = openData(options, started);
  // Waits for both, because if one fails, the other can be stopped only after it has started.
  await Promise.allSettled([options.templateFile, dataReady]);
  const templateFile = await options.templateFile;
  const { database, dataDirectory } = await dataReady;
  const template = readTemplate(templateFile, { ...environment, stackName });
  const identities = createIdentities(template);
  const { endpoint } = database;
  const isEmbedded = options.dynamodbEndpoint === undefined;
  const guard = await startDynamoDBGuard({ endpoint, identities, isEmbedded, now, log });
  started.defer(() => guard.close());
  const dynamodb = localDynamoDbClient(guard.endpoint, identities.operator.accessKeyId);
  await usingDatabase(database, provideTables(template, dynamodb));
  signal?.throwIfAborted();

  const usagePlans = template.ofType('AWS::ApiGateway::UsagePlan').map(({ ref }) => ref);
  const controlPlane = new ControlPlane(usagePlans, now);
  const assetsManifestFile = join(dirname(templateFile), `${stackName}.assets.json`);
  const gateway = new Gateway(template, {
    targetOf: loadFunctions(template, assetsManifestFile, {
      now,
      log: options.logFunction ?? ((name, line) => log(`${name}: ${line}`)),
      variablesOf: ({ logicalId }) => ({
        AWS_ACCESS_KEY_ID: identities.functions.get(logicalId)!.accessKeyId,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_REGION: localRegion,
        AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint,
      }),
    }),
    controlPlane,
    logFault: ({ type, cause }, requestId) => {
      if (cause) log(`gateway: ${requestId} ${type}: ${inspect(cause)}`);
    },
  });
  const prepared: PreparedService = {
    stage: gateway.api.stage,
    outputs: template.outputs(),
    dynamodb,
    controlPlane,
    dataDirectory,
  };
  const handlers = (await usingDatabase(database, options.prepare?.(prepared))) ?? [];
  signal?.throwIfAborted();
  const stack = { stackName, outputs: prepared.outputs };
  const manage: Handler = (incoming, outgoing) =>
    answerManagement(incoming, outgoing, { controlPlane, stack, guard });
  const { host = '127.0.0.1', port = 0, onAnswered } = options;
  const serving = { gateway, onAnswered, host, port, now, handlers: [...handlers, manage] };
  const server = await startHttpServer(serving);
  started.defer(() => server.close());
  stack.outputs = replaceCloudOrigin(stack.outputs, gateway.api.apiId, server.origin);
  const running = started.move();
  return {
    ...prepared,
    outputs: stack.outputs,
    origin: server.origin,
    failed: database.ended,
    close: () => running.disposeAsync(),
  };
}

async function openData(
  options: LocalServiceOptions,
  started: AsyncDisposableStack,
): Promise<{ database: Database; dataDirectory: DataDirectory | undefined }> {
  const { dynamodbEndpoint, signal } = options;
  const dataDirectory = options.dataDirectory
    ? new DataDirectory(options.dataDirectory)
    : undefined;
  started.defer(() => dataDirectory?.release());
  if (dynamodbEndpoint) return { database: externalDatabase(dynamodbEndpoint), dataDirectory };
  const databaseFile = dataDirectory?.pathOf(databaseFileName);
  const database = await startEmbeddedDynamoDB({ databaseFile, signal });
  started.defer(() => database.close());
  return { database, dataDirectory };
}

function externalDatabase(endpoint: string): Database {
  // Only the origin, which does not contain the URL's password.
  const { origin } = new URL(endpoint);
  return {
    endpoint,
    ended: new Promise(() => {}),
    failure: (reason) =>
      new LocalRunError(
        `DYNAMODB_ENDPOINT: ${origin} fails (${reason}): check the server, correct the address, or unset the variable`,
      ),
  };
}

/** Creates missing tables. It does not wait for them, because a local server has created a table when it answers. */
async function provideTables(template: Template, client: DynamoDBClient): Promise<void> {
  const tables = template.ofType('AWS::DynamoDB::Table').map(async ({ ref, property }) => {
    const table = new CreateTableCommand({
      TableName: ref,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: property('KeySchema'),
      AttributeDefinitions: property('AttributeDefinitions'),
    });
    try {
      await client.send(table);
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
    }
  });
  await Promise.all(tables);
}

/** @throws LocalRunError if the database fails, or ends before the work is done */
async function usingDatabase<T>(database: Database, work: T): Promise<Awaited<T>> {
  const ended = database.ended.then((error) => Promise.reject(error));
  try {
    return await Promise.race([work, ended]);
  } catch (error) {
    for (const each of [error, Object(error).cause]) {
      // Only errors of the SDK have metadata. All others are not failures of the database.
      if (!(each instanceof Error) || !('$metadata' in each)) continue;
      throw database.failure((each.message || each.name).replaceAll(/\s+/g, ' ').trim());
    }
    throw error;
  }
}

function replaceCloudOrigin(
  outputs: PreparedService['outputs'],
  apiId: string,
  origin: string,
): PreparedService['outputs'] {
  const cloudOrigin = new RegExp(`^https://${apiId}\\.execute-api\\.[^/]+`);
  const entries = Object.entries(outputs);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replace(cloudOrigin, origin)]),
  );
}
