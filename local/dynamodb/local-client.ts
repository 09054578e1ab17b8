import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Credentials } from './identities.ts';

export const localRegion = 'us-east-1';

// Of one attempt. A server that never answers must not keep whoever asks for ever.
const requestTimeoutMs = 5_000;

// The SDK sends nothing without credentials, also where nobody looks at them.
const anyCredentials: Credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * A client for a DynamoDB-compatible server of this machine.
 *
 * @param credentials what signs its requests. @default - some, for a server that checks none
 */
export function localDynamoDbClient(
  endpoint: string,
  credentials = anyCredentials,
): DynamoDBClient {
  const requestHandler = { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true };
  return new DynamoDBClient({ endpoint, region: localRegion, credentials, requestHandler });
}
