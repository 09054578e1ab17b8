import type { Template } from '../template.ts';
import { readMappedAnswer } from './mapped-answer.ts';
import type { GatewayAnswer, RequestContext } from './request-context.ts';

type GatewayResponseType = keyof typeof builtInResponses;

/** Thrown by a step of the gateway to answer the request with a gateway response. */
export class GatewayFault extends Error {
  readonly type: GatewayResponseType;

  /** @param cause the reason, which is only logged */
  constructor(type: GatewayResponseType, cause?: unknown) {
    super(type, { cause });
    this.type = type;
  }
}

/**
 * API Gateway's own responses: the status, the value of the header `x-amzn-ErrorType` without its ending `Exception`,
 * and the message, which is null for types without a message.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const builtInResponses = {
  ACCESS_DENIED: [403, 'AccessDenied', 'User is not authorized to access this resource'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'AuthorizerConfiguration', null],
  AUTHORIZER_FAILURE: [500, 'AuthorizerFailure', null],
  // The response for a path or method that does not exist, because API Gateway then takes the `Authorization` header
  // for a signature (Signature Version 4). It does not document the type of this response.
  DEFAULT_4XX: [403, 'IncompleteSignature', 'Bad Request'],
  DEFAULT_5XX: [500, 'InternalServerError', 'Internal server error'],
  INTEGRATION_FAILURE: [502, 'InternalServerError', 'Internal server error'],
  INVALID_API_KEY: [403, 'Forbidden', 'Forbidden'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'MissingAuthenticationToken', 'Missing Authentication Token'],
  UNAUTHORIZED: [401, 'Unauthorized', 'Unauthorized'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'BadRequest', 'Unsupported Media Type'],
} as const;

const builtInTemplates = { 'application/json': '{"message":$context.error.messageString}' };

/**
 * Renders the response for a fault: the template's response or, if it has none, its default for 4xx or 5xx or, if it
 * has no default, API Gateway's own response.
 */
export type GatewayResponses = (fault: GatewayFault, context: RequestContext) => GatewayAnswer;

/** @throws TemplateError for a header mapping or a body template that is not supported */
export function readGatewayResponses(template: Template): GatewayResponses {
  const builtIn = { render: readMappedAnswer('', {}, builtInTemplates), status: undefined };
  const own = new Map(
    template.ofType('AWS::ApiGateway::GatewayResponse').map(({ logicalId, property }) => {
      const templates = property('ResponseTemplates') ?? builtInTemplates;
      const render = readMappedAnswer(logicalId, property('ResponseParameters'), templates);
      return [property('ResponseType'), { render, status: property('StatusCode') }];
    }),
  );

  return ({ type }, context) => {
    const [builtInStatus, errorType, message] = builtInResponses[type];
    const fallback = builtInStatus >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
    const { render, status = builtInStatus } = own.get(type) ?? own.get(fallback) ?? builtIn;
    context.error = { messageString: JSON.stringify(message) };
    const { headers, body } = render(context);
    return {
      statusCode: Number(status),
      headers: [['x-amzn-ErrorType', `${errorType}Exception`], ...headers],
      body,
    };
  };
}
