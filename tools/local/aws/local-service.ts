import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { Gateway } from './api-gateway/gateway.ts';
import { DataDirectory } from './data-directory.ts';
import { readCallers } from './dynamodb/callers.ts';
import { startEmbeddedDynamoDB } from './dynamodb/embedded-dynamodb.ts';
import { startDynamoDBGuard } from './dynamodb/guard.ts';
import { LocalRunError } from './errors.ts';
import { type Handler, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { type FunctionSurroundings, loadFunctions } from './lambda/functions.ts';
import { type ControlPlane, createControlPlane } from './management/control-plane.ts';
import { answerManagement } from './management/management.ts';
import { region, Template } from './template.ts';

interface LocalServiceOptions
  extends Partial<Pick<HttpServerOptions, 'host' | 'now' | 'onAnswered' | 'port'>> {
  /** The template, with the functions' code in the same folder. The database starts before it is ready. */
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
}

/** A service whose tables and keys can be used, but which does not listen for requests yet. */
export interface PreparedService {
  readonly outputs: Readonly<Record<string, string>>;
  /** A client that may do everything. */
  readonly dynamodb: DynamoDBClient;
  readonly controlPlane: ControlPlane;
  readonly dataDirectory: DataDirectory | undefined;
}

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;

/** Runs a template's tables, functions and REST API. @throws TemplateError for an unsupported part */
export async function startLocalService(options: LocalServiceOptions) {
  await using started = new AsyncDisposableStack();
  const { stackName, log, now = Date.now, host = '127.0.0.1', port = 0, onAnswered } = options;
  const dataDirectory =
    options.dataDirectory === undefined ? undefined : new DataDirectory(options.dataDirectory);
  started.defer(() => dataDirectory?.release());
  const [templateFile, database] = await Promise.all([
    options.templateFile,
    options.dynamodbEndpoint
      ? externalDatabase(options.dynamodbEndpoint)
      : startEmbeddedDynamoDB(dataDirectory?.pathOf('dynamodb.sqlite')),
  ]);
  started.defer(() => database.close());
  const template = new Template(JSON.parse(readFileSync(templateFile, 'utf8')), stackName);
  const callers = readCallers(template);
  const guard = await startDynamoDBGuard({
    endpoint: database.endpoint,
    callers: [...callers.values()],
    isEmbedded: options.dynamodbEndpoint === undefined,
    now,
    log,
  });
  started.defer(() => guard.close());
  const controlPlane = createControlPlane(now);
  const gateway = new Gateway(template, {
    functionOf: loadFunctions(template, dirname(templateFile), {
      now,
      log: options.logFunction ?? ((name, line) => log(`${name}: ${line}`)),
      variablesOf: (logicalId) => ({
        AWS_ACCESS_KEY_ID: callers.get(logicalId)!.accessKeyId,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_REGION: region,
        AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint,
      }),
    }),
    meter: controlPlane.meter,
    log,
  });
  const dynamodb = operatorClient(database.endpoint);
  let outputs = template.outputs();
  const prepared = { outputs, dynamodb, controlPlane, dataDirectory };
  const handlers: Handler[] = [
    (incoming, outgoing) =>
      answerManagement(incoming, outgoing, { controlPlane, stackName, outputs, guard }),
  ];
  try {
    await createTables(template, dynamodb);
    handlers.push(...((await options.prepare?.(prepared)) ?? []));
  } catch (error) {
    throw databaseFailure(error, database.failure) ?? error;
  }
  const server = await startHttpServer({ gateway, handlers, host, port, now, onAnswered });
  started.defer(() => server.close());
  const cloudOrigin = /^https:\/\/[^/]+\.execute-api\.[^/]+/;
  const localOutputs = Object.entries(outputs).map(([name, value]) => [
    name,
    value.replace(cloudOrigin, server.origin),
  ]);
  outputs = Object.fromEntries(localOutputs);
  const running = started.move();
  return {
    ...prepared,
    outputs,
    /** The URL without a path, such as `http://127.0.0.1:3000`. */
    origin: server.origin,
    /** Resolves when the database has ended. */
    failed: database.ended,
    close: () => running.disposeAsync(),
  };
}

function externalDatabase(endpoint: string) {
  // Only the origin, which does not contain the URL's password.
  const { origin } = new URL(endpoint);
  return {
    endpoint,
    ended: new Promise<never>(() => {}),
    failure: (reason: string) =>
      new LocalRunError(
        `DYNAMODB_ENDPOINT: ${origin} fails (${reason}): check the server, correct the address, or unset the variable`,
      ),
    close: () => {},
  };
}

function operatorClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region,
    // The SDK needs a secret for the signature, which nobody verifies.
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { requestTimeout: 5_000, throwOnRequestTimeout: true },
    // Without these settings, the SDK takes them from the user's environment and AWS configuration, and then refuses an
    // endpoint.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
}

/** Creates missing tables. It does not wait for them, because a local server has created a table when it answers. */
async function createTables(template: Template, client: DynamoDBClient): Promise<void> {
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

/** The failure of the database that an error or its cause means; undefined for another error. */
function databaseFailure(
  error: unknown,
  failure: (reason: string) => LocalRunError,
): LocalRunError | undefined {
  // Only errors of the SDK have metadata.
  const found = [error, Object(error).cause].find((each) => '$metadata' in Object(each));
  return found && failure((found.message || found.code).replaceAll(/\s+/g, ' ').trim());
}
