import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The server checks neither, but the SDK sends nothing without them. */
export const localRegion = 'us-east-1';
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** A client for a DynamoDB-compatible server of this machine. */
export function localDynamoDbClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: localRegion, credentials: localCredentials });
}
