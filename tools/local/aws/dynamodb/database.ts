import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { OperatorError, reasonOf } from '../../../shared/errors.ts';
import { region } from '../template.ts';
import { startEmbeddedDynamoDB } from './embedded-dynamodb.ts';

// SQLite's code SQLITE_BUSY, which means that another connection has locked the file.
const sqliteBusy = 5;

/** The place of a run's data. */
export interface DatabaseOptions {
  /** The origin of a DynamoDB-compatible server. @default - an embedded one is started */
  readonly dynamodbEndpoint?: string | undefined;
  /** The directory in which the embedded server keeps its data. @default - in memory */
  readonly dataDirectory?: string | undefined;
}

/** The database of a run. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Starts the embedded DynamoDB, or uses another server. @throws OperatorError */
export async function openDatabase({ dynamodbEndpoint, dataDirectory }: DatabaseOptions) {
  await using opened = new AsyncDisposableStack();
  if (dataDirectory !== undefined) opened.use(openDataDirectory(dataDirectory));
  const server = dynamodbEndpoint
    ? externalDatabase(dynamodbEndpoint)
    : await startEmbeddedDynamoDB(dataDirectory && join(dataDirectory, 'dynamodb.sqlite'));
  opened.defer(() => server.close());
  const parts = opened.move();
  return {
    ...server,
    /** Whether it is the embedded server, which executes one call at a time. */
    isEmbedded: !dynamodbEndpoint,
    /** The operator's client, which may do everything. */
    client: operatorClient(server.endpoint),
    /** Converts an error that the database has caused into an error for the user. Returns any other error unchanged. */
    explain: (error: unknown): unknown => {
      // An error with metadata is from the SDK, and so from the database.
      const found = [error, Object(error).cause].find((each) => '$metadata' in Object(each));
      return found ? server.failure(reasonOf(found)) : error;
    },
    close: () => parts.disposeAsync(),
  };
}

/**
 * Creates or opens a directory for data that outlives a run. Only this user can read it. Only one process at a time can
 * open it: it is locked by a transaction on an empty database in the directory, which also works between containers that
 * share only the directory. The system releases the lock when the process ends in any way.
 *
 * @returns the lock
 * @throws OperatorError if the directory cannot be used, or another process has opened it
 */
function openDataDirectory(path: string): Disposable {
  try {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o700);
    const lock = new DatabaseSync(join(path, 'lock.sqlite'));
    // The transaction writes nothing, so it needs no journal on the disk.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    const { errcode, message } = cause as Error & { readonly errcode?: number };
    const problem =
      errcode === sqliteBusy
        ? 'is in use by another local run: stop that run, or name another directory'
        : `cannot be used (${message}): name another directory`;
    throw new OperatorError(`the directory ${path} ${problem}`, { cause });
  }
}

function externalDatabase(endpoint: string) {
  return {
    endpoint,
    ended: new Promise<never>(() => {}),
    failure: (reason: string) =>
      new OperatorError(
        `DYNAMODB_ENDPOINT: ${endpoint} fails (${reason}): check the server, correct the address, or unset the variable`,
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
    // Set explicitly. Otherwise, the SDK may find these settings in the user's environment or AWS configuration, and
    // then refuse the endpoint.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
}
