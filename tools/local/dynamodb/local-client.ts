import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Credentials } from './identities.ts';

/** The Region of everything in a local run. */
export const localRegion = 'us-east-1';

// The timeout of one attempt, so that a server that never answers does not block its caller.
const requestTimeoutMs = 5_000;

// The SDK needs credentials even if the server does not check them.
const anyCredentials: Credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * Creates a client for a DynamoDB-compatible server.
 *
 * @param credentials sign its requests. @default - placeholders, for a server that checks none
 */
export function localDynamoDbClient(
  endpoint: string,
  credentials = anyCredentials,
): DynamoDBClient {
  const requestHandler = { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true };
  return new DynamoDBClient({
    endpoint,
    region: localRegion,
    credentials,
    requestHandler,
    // The SDK takes these from the user's environment and AWS configuration, and then refuses an endpoint.
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
}
