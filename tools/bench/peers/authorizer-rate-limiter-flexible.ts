import { createHash } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';

interface ApiKey {
  keyId: string;
  ownerId: string;
  status: string;
}

const dynamodb = new DynamoDB({});
const client = DynamoDBDocumentClient.from(dynamodb);
const perMinute = 60_000;
const windows = new RateLimiterUnion(
  limiter('minute', perMinute, 60),
  limiter('day', 10_000_000, 86_400),
);

/** A conventional authorizer, which reads the key and then counts with a library. */
export async function handler(
  event: APIGatewayTokenAuthorizerEvent,
): Promise<APIGatewayAuthorizerResult> {
  const apiKey = await findApiKey(event.authorizationToken);
  if (apiKey?.status !== 'active') throw new Error('Unauthorized');
  const { keyId, ownerId } = apiKey;
  const remaining = await consume(ownerId);
  const Effect = remaining === undefined ? 'Deny' : 'Allow';
  const Resource = `${event.methodArn.split('/', 2).join('/')}/*/*`;
  return {
    principalId: keyId,
    usageIdentifierKey: ownerId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }],
    },
    context: { keyId, limit: perMinute, remaining: remaining ?? 0 },
  };
}

async function findApiKey(authorization: string): Promise<ApiKey | undefined> {
  const keyHash = createHash('sha256')
    .update(authorization.slice('Bearer '.length))
    .digest('base64url');
  const { Item } = await client.send(
    new GetCommand({ TableName: process.env.API_KEYS_TABLE, Key: { keyHash } }),
  );
  return Item as ApiKey | undefined;
}

/** The remaining requests of the fullest window; undefined beyond its limit. */
async function consume(ownerId: string): Promise<number | undefined> {
  try {
    const states = Object.values(await windows.consume(ownerId));
    return Math.min(...states.map(({ remainingPoints }) => remainingPoints));
  } catch (refusal) {
    // Beyond a limit, the library rejects with the state of the windows rather than with an Error.
    if (refusal instanceof Error) throw refusal;
    return undefined;
  }
}

function limiter(keyPrefix: string, points: number, duration: number): RateLimiterDynamo {
  return new RateLimiterDynamo({
    storeClient: dynamodb,
    tableName: process.env.COUNTERS_TABLE!,
    tableCreated: true,
    ttlSet: true,
    keyPrefix,
    points,
    duration,
  });
}
