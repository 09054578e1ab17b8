import type { GatewayAnswer } from './gateway-answer.ts';
import {
  checkMapping,
  checkTemplate,
  evaluateMapping,
  type MappingSource,
  substituteVariables,
} from './mapping-expressions.ts';
import type { Template } from './template.ts';
import { TemplateError } from './template-error.ts';

/** Why API Gateway answers a request by itself. */
export type GatewayResponseType = keyof typeof builtIn;

/** Thrown by the steps of a request to make the gateway answer by itself. */
export class GatewayFault extends Error {
  override name = 'GatewayFault';
  readonly type: GatewayResponseType;
  /** The status where the template sets none. @default - the type's own */
  readonly status: number | undefined;

  constructor(
    type: GatewayResponseType,
    options?: { message?: string; status?: number; cause?: unknown },
  ) {
    super(options?.message ?? builtIn[type].message, { cause: options?.cause });
    this.type = type;
    this.status = options?.status;
  }
}

/** A gateway response as the template defines it. */
export interface GatewayResponse {
  readonly statusCode: number | undefined;
  /** Mapping expressions by header name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body templates by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

export type GatewayResponses = ReadonlyMap<string, GatewayResponse>;

interface BuiltInResponse {
  readonly status: number;
  readonly message: string;
  /** Value of `x-amzn-ErrorType`. */
  readonly errorType: string;
}

/**
 * What API Gateway answers where the template says nothing.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const builtIn = {
  ACCESS_DENIED: response(403, 'User is not authorized to access this resource', 'AccessDenied'),
  API_CONFIGURATION_ERROR: response(500, 'Internal server error', 'InternalServerError'),
  AUTHORIZER_CONFIGURATION_ERROR: response(500, 'null', 'AuthorizerConfiguration'),
  AUTHORIZER_FAILURE: response(500, 'null', 'AuthorizerFailure'),
  BAD_REQUEST_BODY: response(400, 'Invalid request body', 'BadRequest'),
  BAD_REQUEST_PARAMETERS: response(400, 'Bad Request', 'BadRequest'),
  DEFAULT_4XX: response(400, 'Bad Request', 'BadRequest'),
  DEFAULT_5XX: response(500, 'Internal server error', 'InternalServerError'),
  EXPIRED_TOKEN: response(
    403,
    'The security token included in the request is expired',
    'ExpiredToken',
  ),
  INTEGRATION_FAILURE: response(504, 'Internal server error', 'InternalServerError'),
  INTEGRATION_TIMEOUT: response(504, 'Endpoint request timed out', 'InternalServerError'),
  INVALID_API_KEY: response(403, 'Forbidden', 'Forbidden'),
  INVALID_SIGNATURE: response(403, 'The request signature is not valid', 'InvalidSignature'),
  MISSING_AUTHENTICATION_TOKEN: response(
    403,
    'Missing Authentication Token',
    'MissingAuthenticationToken',
  ),
  QUOTA_EXCEEDED: response(429, 'Limit Exceeded', 'LimitExceeded'),
  REQUEST_TOO_LARGE: response(413, 'Request Too Long', 'RequestTooLarge'),
  RESOURCE_NOT_FOUND: response(404, 'Not Found', 'NotFound'),
  THROTTLED: response(429, 'Too Many Requests', 'TooManyRequests'),
  UNAUTHORIZED: response(401, 'Unauthorized', 'Unauthorized'),
  UNSUPPORTED_MEDIA_TYPE: response(415, 'Unsupported Media Type', 'BadRequest'),
  WAF_FILTERED: response(403, 'Forbidden', 'Forbidden'),
} as const;

const defaultTemplates = { 'application/json': '{"message":$context.error.messageString}' };
const headerPrefix = 'gatewayresponse.header.';

/**
 * The template's gateway responses by type.
 *
 * @throws TemplateError for a type, a header mapping or a body template that is not supported
 */
export function readGatewayResponses(template: Template): GatewayResponses {
  return new Map(
    template.ofType('AWS::ApiGateway::GatewayResponse').map((resource) => {
      const type = resource.property('ResponseType');
      if (!(type in builtIn))
        throw new TemplateError(resource.logicalId, `no response type ${type}`);
      const headers = headerMappings(resource.property('ResponseParameters'), resource.logicalId);
      const templates = resource.property('ResponseTemplates') ?? {};
      for (const text of Object.values(templates)) checkTemplate(String(text), resource.logicalId);
      const status = resource.property('StatusCode');
      return [type, { statusCode: status ? Number(status) : undefined, headers, templates }];
    }),
  );
}

/**
 * What the gateway answers by itself: as the template defines for the fault's type, else as it
 * defines for all faults of that class, else as API Gateway does.
 *
 * A definition without a status keeps the fault's own.
 */
export function renderGatewayResponse(
  fault: GatewayFault,
  responses: GatewayResponses,
  source: MappingSource,
): GatewayAnswer {
  const { status, errorType } = builtIn[fault.type];
  const faultStatus = fault.status ?? status;
  const fallback = faultStatus >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const defined = responses.get(fault.type) ?? responses.get(fallback);
  const templates =
    defined && Object.keys(defined.templates).length > 0 ? defined.templates : defaultTemplates;
  const [contentType, body] = Object.entries(templates)[0]!;

  source.context.error = {
    message: fault.message,
    messageString: JSON.stringify(fault.message),
    responseType: fault.type,
  };
  return {
    statusCode: defined?.statusCode ?? faultStatus,
    headers: [
      ['x-amzn-ErrorType', `${errorType}Exception`],
      ...withContentType(mappedHeaders(defined?.headers ?? {}, source), contentType),
    ],
    body: Buffer.from(substituteVariables(body, source)),
  };
}

function response(status: number, message: string, errorType: string): BuiltInResponse {
  return { status, message, errorType };
}

function headerMappings(parameters: object | undefined, logicalId: string) {
  const mappings = Object.entries(parameters ?? {}).map(([target, mapping]) => {
    if (!target.startsWith(headerPrefix)) {
      throw new TemplateError(logicalId, `the parameter ${target} is not supported locally`);
    }
    checkMapping(mapping, logicalId);
    return [target.slice(headerPrefix.length), mapping];
  });
  return Object.fromEntries(mappings);
}

function mappedHeaders(mappings: Readonly<Record<string, string>>, source: MappingSource) {
  return Object.entries(mappings).flatMap(([name, mapping]): [string, string][] => {
    const value = evaluateMapping(mapping, source);
    return value === undefined ? [] : [[name, value]];
  });
}

function withContentType(headers: [string, string][], contentType: string): [string, string][] {
  const isSet = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return isSet ? headers : [['Content-Type', contentType], ...headers];
}
