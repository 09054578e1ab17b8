import type { FunctionOf } from '../lambda/functions.ts';
import { isAllowed } from '../policy.ts';
import { TemplateError, type TemplateResource } from '../template.ts';
import { GatewayFault } from './gateway-responses.ts';
import type { IncomingRequest } from './incoming-request.ts';

/**
 * Asks a TOKEN authorizer about a request.
 *
 * @throws GatewayFault `UNAUTHORIZED` for a token that is missing, does not match the pattern or is refused;
 *   `AUTHORIZER_FAILURE` if the function fails; `AUTHORIZER_CONFIGURATION_ERROR` for a malformed result
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export type Authorizer = (
  request: IncomingRequest,
  methodArn: string,
) => Promise<ReturnType<typeof parseResult>>;

/** @throws TemplateError unless it is a TOKEN authorizer whose results are not cached, which they are by default */
export function readAuthorizer(
  { logicalId, property }: TemplateResource,
  functionOf: FunctionOf,
): Authorizer {
  if (property('Type') !== 'TOKEN' || property('AuthorizerResultTtlInSeconds') !== 0) {
    throw new TemplateError(
      logicalId,
      'an authorizer with another type than TOKEN or with a cache',
    );
  }
  const header = String(property('IdentitySource')).split('.').at(-1)!.toLowerCase();
  // The whole token must match.
  const validation = new RegExp(`^(?:${property('IdentityValidationExpression') ?? '.*'})$`);
  const invoke = functionOf(property('AuthorizerUri'), logicalId);

  return async ({ headers }, methodArn) => {
    const token = headers.get(header)?.values.at(-1);
    if (!token || !validation.test(token)) throw new GatewayFault('UNAUTHORIZED');
    const result = await invoke({ type: 'TOKEN', methodArn, authorizationToken: token });
    if ('payload' in result) return parseResult(result.payload, methodArn);
    // API Gateway answers 401 only if the error message is exactly "Unauthorized".
    const message = 'error' in result ? result.error.errorMessage : 'an authorizer cannot stream';
    const isRefused = message === 'Unauthorized';
    throw isRefused
      ? new GatewayFault('UNAUTHORIZED')
      : new GatewayFault('AUTHORIZER_FAILURE', message);
  };
}

function parseResult(payload: string, methodArn: string) {
  try {
    const { principalId, policyDocument, context = {}, usageIdentifierKey } = JSON.parse(payload);
    if (typeof principalId !== 'string') throw new TypeError('principalId is not a string');
    // API Gateway converts numbers and booleans to strings, and rejects objects and lists.
    const texts = Object.entries({ ...context, principalId }).map(([name, value]) => {
      if (typeof value === 'object') throw new TypeError(`context.${name} is an object`);
      return [name, String(value)];
    });
    return {
      context: Object.fromEntries(texts) as Record<string, string>,
      usageIdentifierKey: usageIdentifierKey as string | undefined,
      isAllowed: isAllowed(policyDocument.Statement, 'execute-api:Invoke', methodArn),
    };
  } catch (cause) {
    throw new GatewayFault('AUTHORIZER_CONFIGURATION_ERROR', cause);
  }
}
