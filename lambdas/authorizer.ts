import type {
  APIGatewayAuthorizerResult,
  APIGatewayTokenAuthorizerEvent,
  Context,
} from 'aws-lambda';
import { UnauthorizedError } from './contract/errors.ts';
import { hashOwnerPart, hashToken, parseAuthorization } from './keys/api-key.ts';
import type { Decision } from './keys/decision.ts';
import { Limiter } from './keys/limiter.ts';
import { gatewayKeyValue } from './keys/owner-record.ts';
import type { AuthorizerContext } from './keys/rate-limit-headers.ts';
import { createDynamoDbClient } from './runtime/dynamodb.ts';
import { requiredVariable } from './runtime/environment.ts';
import { type LogFields, log } from './runtime/log.ts';
import { recordMetrics } from './runtime/metrics.ts';

const apiKeyPrefix = requiredVariable('API_KEY_PREFIX');
const limiter = new Limiter({
  client: createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 1_500 }),
  tableName: requiredVariable('API_KEYS_TABLE'),
  plans: JSON.parse(requiredVariable('PLANS')),
  now: Date.now,
});

/**
 * Authenticates and counts a request. The policy allows an admitted request, and denies a rejected request, which the
 * gateway response ACCESS_DENIED answers with 429. In both cases, the context has the values of the rate-limit headers.
 *
 * @throws UnauthorizedError for a key that is not valid; API Gateway answers 401
 * @throws Error for any other failure, such as a table that is throttled; API Gateway answers 503
 */
export async function handler(
  event: APIGatewayTokenAuthorizerEvent,
  context: Context,
): Promise<APIGatewayAuthorizerResult> {
  // The access log has this id under the same name. API Gateway's own id cannot be used, because the event lacks it.
  const request = { authorizerRequestId: context.awsRequestId };
  try {
    const token = parseAuthorization(event.authorizationToken, apiKeyPrefix);
    if (token === undefined) throw new UnauthorizedError();
    const decision = await limiter.decide({
      ownerHash: hashOwnerPart(token),
      tokenHash: hashToken(token),
    });
    recordDecision(decision, request);
    return authorizerResult(decision, event.methodArn);
  } catch (error) {
    recordFailure(error, request);
    throw error;
  }
}

function authorizerResult(decision: Decision, methodArn: string): APIGatewayAuthorizerResult {
  const { isBanStart, retryAfterSeconds, rejection, ...values } = decision;
  return {
    principalId: decision.keyId,
    // The gateway key of the plan with which the request was counted.
    usageIdentifierKey: gatewayKeyValue(decision.ownerId, decision.plan),
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
    context: {
      ...values,
      retryAfter: retryAfterSeconds,
      ...rejection,
    } satisfies { [Name in keyof AuthorizerContext]: unknown },
  };
}

/** The ARN of all methods of the stage. If a policy for one method were cached, it would deny all other methods. */
function everyMethodOfStage(methodArn: string): string {
  const [api, stage] = methodArn.split('/', 2);
  return `${api}/${stage}/*/*`;
}

function recordDecision({ keyId, rejection, isBanStart }: Decision, request: LogFields): void {
  const fields = { ...request, keyId };
  if (isBanStart) recordMetrics({ KeysBanned: 1 }, fields);
  // Admitted requests need no metric, because API Gateway counts all requests.
  if (rejection) recordMetrics({ RequestsRejected: 1 }, fields, { Reason: rejection.code });
}

function recordFailure(error: unknown, request: LogFields): void {
  if (error instanceof UnauthorizedError) {
    recordMetrics({ RequestsRejected: 1 }, request, { Reason: 'unauthorized' });
  } else {
    log.error('The authorizer failed', error, request);
  }
}
