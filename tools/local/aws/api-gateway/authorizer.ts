import { TemplateError, unsupported } from '../errors.ts';
import type { TargetOf } from '../lambda/functions.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { GatewayFault } from './gateway-fault.ts';
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

type PolicyStatement = Readonly<Record<'Effect' | 'Action' | 'Resource', string>>;

const identitySource = /^method\.request\.header\.([\w-]+)$/;
const invokeAction = 'execute-api:invoke';

/** The authorizers by id. @throws TemplateError unless all are TOKEN authorizers with a function and without a cache */
export function readAuthorizers(template: Template, targetOf: TargetOf): Map<string, Authorizer> {
  const authorizers = template.ofType('AWS::ApiGateway::Authorizer');
  return new Map(authorizers.map((resource) => [resource.ref, readAuthorizer(resource, targetOf)]));
}

function readAuthorizer({ logicalId, property }: TemplateResource, targetOf: TargetOf): Authorizer {
  const type = property('Type');
  if (type !== 'TOKEN') throw unsupported(logicalId, `a ${type} authorizer`);
  // Without this property, API Gateway caches results.
  if (property('AuthorizerResultTtlInSeconds') !== 0) {
    throw unsupported(logicalId, 'AuthorizerResultTtlInSeconds other than 0');
  }
  const header = identitySource.exec(property('IdentitySource'))?.[1];
  if (!header) throw new TemplateError(logicalId, 'IdentitySource names no header');
  // The whole token must match.
  const validation = new RegExp(`^(?:${property('IdentityValidationExpression') ?? '.*'})$`);
  const { invoke } = targetOf(property('AuthorizerUri'), logicalId);

  return async ({ headers }, methodArn) => {
    const token = headers.get(header.toLowerCase())?.values.at(-1);
    if (!token || !validation.test(token)) throw new GatewayFault('UNAUTHORIZED');
    const result = await invoke({ type: 'TOKEN', methodArn, authorizationToken: token });
    if ('error' in result) throw faultOf(result.error.errorMessage);
    if ('payload' in result) return parseResult(result.payload, methodArn);
    result.stream.destroy();
    throw faultOf('an authorizer cannot stream');
  };
}

function allowsMethod(statements: readonly PolicyStatement[], methodArn: string): boolean {
  const applying = statements.filter(
    ({ Action, Resource }) =>
      matchesPattern(Action.toLowerCase(), invokeAction) && matchesPattern(Resource, methodArn),
  );
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

/** Whether a text matches a pattern, in which `*` stands for any characters and `?` for one. */
function matchesPattern(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[$()+.[\\\]^{|}]/g, '\\$&');
  const source = escaped.replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

// API Gateway answers 401 only if the error message is exactly "Unauthorized".
function faultOf(errorMessage: string): GatewayFault {
  if (errorMessage === 'Unauthorized') return new GatewayFault('UNAUTHORIZED');
  return new GatewayFault('AUTHORIZER_FAILURE', { cause: errorMessage });
}

function parseResult(payload: string, methodArn: string) {
  try {
    const { principalId, policyDocument, context, usageIdentifierKey } = JSON.parse(payload);
    if (typeof principalId !== 'string') throw new TypeError('principalId is not a string');
    return {
      context: { ...contextTexts(context ?? {}), principalId },
      usageIdentifierKey,
      isAllowed: allowsMethod(policyDocument.Statement, methodArn),
    };
  } catch (cause) {
    throw new GatewayFault('AUTHORIZER_CONFIGURATION_ERROR', { cause });
  }
}

// API Gateway converts numbers and booleans to strings, and rejects objects and lists.
function contextTexts(context: object): Record<string, string> {
  const entries = Object.entries(context).map(([name, value]) => {
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new TypeError(`context.${name} is not a string, number or boolean`);
    }
    return [name, String(value)];
  });
  return Object.fromEntries(entries);
}
