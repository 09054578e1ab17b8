import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The Region of everything in a local run. */
export const localRegion = 'us-east-1';

const requestTimeoutMs = 5_000;

/** @param accessKeyId identifies the caller */
export function localDynamoDbClient(endpoint: string, accessKeyId: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: localRegion,
    // The SDK needs a secret for the signature, which nobody verifies.
    credentials: { accessKeyId, secretAccessKey: 'local' },
    requestHandler: { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
    // Without these settings, the SDK takes them from the user's environment and AWS configuration, and then refuses an
    // endpoint.
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
}
