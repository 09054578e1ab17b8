import { createHash } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { RateLimiterDynamo, RateLimiterUnion } from 'rate-limiter-flexible';

interface ApiKey {
  keyId: string;
  ownerId: string;
  plan: string;
  status: string;
  perMinute: number;
  perDay: number;
}

const dynamodb = new DynamoDB({});
const client = DynamoDBDocumentClient.from(dynamodb);
/** One limiter for each plan, because the library takes the limits at construction. */
const limiters = new Map<string, RateLimiterUnion>();

/** A conventional authorizer, which reads the key and then counts with a library. */
export async function handler(
  event: APIGatewayTokenAuthorizerEvent,
): Promise<APIGatewayAuthorizerResult> {
  const apiKey = await findApiKey(event.authorizationToken);
  if (apiKey?.status !== 'active') throw new Error('Unauthorized');
  try {
    const windows = await limiterOf(apiKey).consume(apiKey.ownerId);
    const remaining = Object.values(windows).map((window) => window.remainingPoints);
    return answer('Allow', apiKey, event.methodArn, Math.min(...remaining));
  } catch (refusal) {
    // Beyond a limit, the library rejects with the state of the windows rather than with an Error.
    if (refusal instanceof Error) throw refusal;
    return answer('Deny', apiKey, event.methodArn, 0);
  }
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

function limiterOf({ plan, perMinute, perDay }: ApiKey): RateLimiterUnion {
  const known = limiters.get(plan);
  if (known) return known;
  const union = new RateLimiterUnion(
    limiter('minute', perMinute, 60),
    limiter('day', perDay, 86_400),
  );
  limiters.set(plan, union);
  return union;
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

function answer(
  Effect: 'Allow' | 'Deny',
  apiKey: ApiKey,
  methodArn: string,
  remaining: number,
): APIGatewayAuthorizerResult {
  const Resource = `${methodArn.split('/', 2).join('/')}/*/*`;
  return {
    principalId: apiKey.keyId,
    usageIdentifierKey: apiKey.ownerId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }],
    },
    context: { keyId: apiKey.keyId, limit: apiKey.perMinute, remaining },
  };
}
