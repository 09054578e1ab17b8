import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { OperatorError, reasonOf } from '../../../shared/errors.ts';
import { openDataDirectory } from '../data-directory.ts';
import { region } from '../template.ts';
import { startEmbeddedDynamoDB } from './embedded-dynamodb.ts';

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
  const { endpoint, ended, failure } = server;
  const parts = opened.move();
  return {
    endpoint,
    /** Resolves with the reason when the embedded server has ended. */
    ended,
    /** Whether it is the embedded server, which executes one call at a time. */
    isEmbedded: !dynamodbEndpoint,
    /** The operator's client, which may do everything. */
    client: operatorClient(endpoint),
    /** Converts an error that the database has caused into an error for the user. Returns any other error unchanged. */
    explain: (error: unknown): unknown => {
      // An error with metadata is from the SDK, and so from the database.
      const found = [error, Object(error).cause].find((each) => '$metadata' in Object(each));
      return found ? failure(reasonOf(found)) : error;
    },
    close: () => parts.disposeAsync(),
  };
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
