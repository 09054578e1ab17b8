import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import type { InvocationTarget, LambdaFunctions } from '../functions/lambda-functions.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { evaluatePolicy } from './authorizer-policy.ts';

/** A TOKEN authorizer as the template defines it. */
export interface Authorizer {
  readonly id: string;
  readonly target: InvocationTarget;
  /** The lower-case name of the header that contains the token. */
  readonly headerName: string;
  /** The pattern that the whole token must match. */
  readonly validation: RegExp | undefined;
  /** How long a result is cached for the same token; 0 disables the cache. */
  readonly resultTtlMs: number;
}

/** The parts of an authorizer's result that the later steps use. */
export interface Authorization {
  /** The `$context.authorizer` variables, `principalId` among them. */
  readonly context: Record<string, string>;
  readonly usageIdentifierKey: string | undefined;
}

/** The result of an authorizer's function, whose policy can be evaluated for any method. */
interface AuthorizerResult extends Authorization {
  readonly policy: unknown;
}

/**
 * Invokes an authorizer's function. Resolves with its result as JSON, or with its error's message.
 *
 * @param signal is aborted when the client disconnects
 */
export type InvokeAuthorizer = (
  target: InvocationTarget,
  event: object,
  signal: AbortSignal | undefined,
) => Promise<{ payload: string } | { errorMessage: string }>;

// CloudFormation's default: without the property, results are cached.
const defaultResultTtlSeconds = 300;
const identitySource = /^method\.request\.header\.([\w-]+)$/;

/**
 * The template's authorizers by id.
 *
 * @throws TemplateError for one that is not a TOKEN authorizer backed by a function
 */
export function readAuthorizers(
  template: Template,
  functions: LambdaFunctions,
): Map<string, Authorizer> {
  const authorizers = template.ofType('AWS::ApiGateway::Authorizer');
  return new Map(
    authorizers.map((resource) => [resource.ref, readAuthorizer(resource, functions)]),
  );
}

function readAuthorizer(resource: TemplateResource, functions: LambdaFunctions): Authorizer {
  const { logicalId, ref, property } = resource;
  const type = property('Type');
  if (type !== 'TOKEN') throw new TemplateError(logicalId, `a ${type} authorizer is not supported`);
  const header = identitySource.exec(property('IdentitySource'))?.[1];
  if (!header) throw new TemplateError(logicalId, 'IdentitySource names no header');
  const expression = property('IdentityValidationExpression');
  const ttlSeconds = Number(property('AuthorizerResultTtlInSeconds') ?? defaultResultTtlSeconds);
  return {
    id: ref,
    target: functions.targetOf(property('AuthorizerUri'), logicalId),
    headerName: header.toLowerCase(),
    validation: expression ? new RegExp(`^(?:${expression})$`) : undefined,
    resultTtlMs: ttlSeconds * 1000,
  };
}

/** Runs authorizers and caches their results for as long as the template says. */
export class Authorizers {
  readonly #invoke: InvokeAuthorizer;
  readonly #now: () => number;
  readonly #results = new Map<string, { result: AuthorizerResult; expiresAtMs: number }>();

  /** @param now milliseconds since the epoch */
  constructor(invoke: InvokeAuthorizer, now: () => number) {
    this.#invoke = invoke;
    this.#now = now;
  }

  /**
   * Authorizes a request.
   *
   * @param onResult called with the result before its policy is evaluated, so that the gateway
   *   response to a denied request can refer to the authorizer's context
   * @throws GatewayFault `UNAUTHORIZED` when the token is missing or does not match the pattern, in
   *   which case the function is not invoked; `ACCESS_DENIED` when the policy does not allow the
   *   method; `AUTHORIZER_FAILURE` when the function fails; `AUTHORIZER_CONFIGURATION_ERROR` when
   *   its result is malformed
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
   */
  async authorize(
    authorizer: Authorizer,
    request: IncomingRequest,
    methodArn: string,
    onResult: (authorization: Authorization) => void,
  ): Promise<Authorization> {
    const token = tokenOf(authorizer, request);
    const result = await this.#resultFor(authorizer, token, methodArn, request.signal);
    onResult(result);
    const decision = wellFormed(() => evaluatePolicy(result.policy, methodArn));
    if (decision === 'allow') return result;
    const suffix = decision === 'explicit-deny' ? ' with an explicit deny' : '';
    throw new GatewayFault('ACCESS_DENIED', {
      message: `User is not authorized to access this resource${suffix}`,
    });
  }

  async #resultFor(
    authorizer: Authorizer,
    token: string,
    methodArn: string,
    signal: AbortSignal | undefined,
  ): Promise<AuthorizerResult> {
    const cacheKey = `${authorizer.id} ${token}`;
    const cached = this.#results.get(cacheKey);
    if (cached && cached.expiresAtMs > this.#now()) return cached.result;
    const event = { type: 'TOKEN', methodArn, authorizationToken: token };
    const outcome = await this.#invoke(authorizer.target, event, signal);
    if ('errorMessage' in outcome) throw faultOf(outcome.errorMessage);
    const result = wellFormed(() => parseResult(outcome.payload));
    if (authorizer.resultTtlMs > 0) {
      this.#results.set(cacheKey, { result, expiresAtMs: this.#now() + authorizer.resultTtlMs });
    }
    return result;
  }
}

function tokenOf({ headerName, validation }: Authorizer, request: IncomingRequest): string {
  const token = request.headers.get(headerName)?.values.at(-1);
  if (!token || (validation && !validation.test(token))) throw new GatewayFault('UNAUTHORIZED');
  return token;
}

// API Gateway answers 401 only when the error message is exactly "Unauthorized".
function faultOf(errorMessage: string): GatewayFault {
  if (errorMessage === 'Unauthorized') return new GatewayFault('UNAUTHORIZED');
  return new GatewayFault('AUTHORIZER_FAILURE', { cause: errorMessage });
}

function wellFormed<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new GatewayFault('AUTHORIZER_CONFIGURATION_ERROR', { cause });
  }
}

function parseResult(payload: string): AuthorizerResult {
  const { principalId, policyDocument, context, usageIdentifierKey } = JSON.parse(payload) ?? {};
  if (typeof principalId !== 'string') throw new TypeError('principalId is not a string');
  if (typeof policyDocument !== 'object' || policyDocument === null) {
    throw new TypeError('policyDocument is missing');
  }
  if (!['string', 'undefined'].includes(typeof usageIdentifierKey)) {
    throw new TypeError('usageIdentifierKey is not a string');
  }
  return {
    context: { ...contextTexts(context ?? {}), principalId },
    usageIdentifierKey,
    policy: policyDocument,
  };
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
