import { createHash } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';

const dynamodb = new DynamoDB({});
const client = DynamoDBDocumentClient.from(dynamodb);
const perMinute = 60_000;
const windows = new RateLimiterUnion(
  limiter('minute', perMinute, 60),
  limiter('day', 10_000_000, 86_400),
);

/** A conventional authorizer, which reads the key, and then counts with a library. It is measured below its limits. */
export async function handler({
  authorizationToken,
  methodArn,
}: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const token = authorizationToken.slice('Bearer '.length);
  const keyHash = createHash('sha256').update(token).digest('base64url');
  const { Item: apiKey } = await client.send(
    new GetCommand({ TableName: process.env.API_KEYS_TABLE, Key: { keyHash } }),
  );
  if (apiKey?.status !== 'active') throw new Error('Unauthorized');
  const { keyId, ownerId } = apiKey;
  const states = Object.values(await windows.consume(ownerId));
  const remaining = Math.min(...states.map(({ remainingPoints }) => remainingPoints));
  const Resource = `${methodArn.split('/', 2).join('/')}/*/*`;
  return {
    principalId: keyId,
    usageIdentifierKey: ownerId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
    },
    context: { keyId, limit: perMinute, remaining },
  };
}

function limiter(keyPrefix: string, points: number, duration: number): RateLimiterDynamo {
  const table = { tableName: 'rate-limiter-counters', tableCreated: true, ttlSet: true };
  return new RateLimiterDynamo({ storeClient: dynamodb, ...table, keyPrefix, points, duration });
}
