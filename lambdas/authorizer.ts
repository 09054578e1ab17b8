import type {
  APIGatewayAuthorizerResult,
  APIGatewayTokenAuthorizerEvent,
  Context,
} from 'aws-lambda';
import { createLimiter } from './authorizer/limiter.ts';
import type { Verdict } from './authorizer/verdict.ts';
import { hashOwnerPart, hashToken, parseAuthorization } from './shared/api-key.ts';
import { clockOf, createDynamoDbClient } from './shared/dynamodb.ts';
import { requiredVariable } from './shared/environment.ts';
import { UnauthorizedError } from './shared/errors.ts';
import { log } from './shared/log.ts';
import { recordMetrics } from './shared/metrics.ts';

const apiKeyPrefix = requiredVariable('API_KEY_PREFIX');
const client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 });
const judge = createLimiter({
  client,
  tableName: requiredVariable('API_KEYS_TABLE'),
  banRules: JSON.parse(requiredVariable('BAN_RULES')),
  now: clockOf(client),
});

/**
 * Authenticates the request and counts it. `Allow` for an admitted one and `Deny`, which the
 * gateway response ACCESS_DENIED makes a 429, for one beyond a limit; both carry the numbers for
 * the rate-limit headers.
 *
 * @throws UnauthorizedError answered with 401
 * @throws Error anything else; answered with 503, because a table that cannot be reached or is
 *   throttled is the one failure to expect here
 */
export async function handler(
  event: APIGatewayTokenAuthorizerEvent,
  context: Context,
): Promise<APIGatewayAuthorizerResult> {
  const requestId = context?.awsRequestId;
  try {
    const token = parseAuthorization(event.authorizationToken, apiKeyPrefix);
    if (token === undefined) throw new UnauthorizedError();
    const verdict = await judge({ ownerHash: hashOwnerPart(token), tokenHash: hashToken(token) });
    recordVerdict(verdict, requestId);
    return authorizerResult(verdict, event.methodArn);
  } catch (error) {
    recordFailure(error, requestId);
    throw error;
  }
}

function authorizerResult(verdict: Verdict, methodArn: string): APIGatewayAuthorizerResult {
  const { isBanStart, retryAfterSeconds, rejection, ...allowance } = verdict;
  return {
    principalId: verdict.keyId,
    usageIdentifierKey: verdict.ownerId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: rejection ? 'Deny' : 'Allow',
          Resource: everyMethodOfStage(methodArn),
        },
      ],
    },
    context: { ...allowance, retryAfter: retryAfterSeconds, ...rejection },
  };
}

/** A policy for the one method asked about would, if it were ever cached, refuse all others. */
function everyMethodOfStage(methodArn: string): string {
  const [api, stage] = methodArn.split('/', 2);
  return `${api}/${stage}/*/*`;
}

function recordVerdict({ keyId, rejection, isBanStart }: Verdict, requestId: string): void {
  const fields = { requestId, keyId };
  if (isBanStart) recordMetrics({ KeysBanned: 1 }, { fields });
  if (rejection) {
    recordMetrics({ RequestsRejected: 1 }, { dimension: { Reason: rejection.code }, fields });
  } else {
    recordMetrics({ RequestsAdmitted: 1 }, { fields });
  }
}

function recordFailure(error: unknown, requestId: string): void {
  if (error instanceof UnauthorizedError) {
    const dimension = { Reason: 'unauthorized' };
    recordMetrics({ RequestsRejected: 1 }, { dimension, fields: { requestId } });
  } else {
    log.error('The authorizer failed', error, { requestId });
  }
}
