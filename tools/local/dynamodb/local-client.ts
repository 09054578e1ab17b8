import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The Region of everything in a local run. */
export const localRegion = 'us-east-1';

// The timeout of one attempt, so that a server that never answers does not block its caller.
const requestTimeoutMs = 5_000;

/**
 * Creates a client for a DynamoDB-compatible server.
 *
 * @param accessKeyId identifies the caller
 */
export function localDynamoDbClient(endpoint: string, accessKeyId: string): DynamoDBClient {
  const requestHandler = { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true };
  return new DynamoDBClient({
    endpoint,
    region: localRegion,
    // The SDK needs a secret for the signature, which nobody verifies.
    credentials: { accessKeyId, secretAccessKey: 'local' },
    requestHandler,
    // The SDK takes these from the user's environment and AWS configuration, and then refuses an endpoint.
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
}
