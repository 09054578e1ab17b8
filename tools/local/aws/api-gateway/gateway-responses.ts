import type { Template, TemplateResource } from '../template/template.ts';
import type { GatewayFault } from './gateway-fault.ts';
import { type MappedAnswer, readMappedAnswer } from './mapped-answer.ts';
import type { GatewayAnswer, RequestContext } from './request-context.ts';

interface GatewayResponse {
  readonly render: MappedAnswer;
  /** @default - the status of the fault */
  readonly statusCode?: number;
}

export type GatewayResponses = ReadonlyMap<string, GatewayResponse>;

const builtInTemplates = { 'application/json': '{"message":$context.error.messageString}' };
const builtIn = { render: readMappedAnswer('', {}, '', builtInTemplates) };

/** The responses by type. @throws TemplateError for a header mapping or a body template that is not supported */
export function readGatewayResponses(template: Template): GatewayResponses {
  return new Map(template.ofType('AWS::ApiGateway::GatewayResponse').map(readGatewayResponse));
}

function readGatewayResponse({ logicalId, property }: TemplateResource): [string, GatewayResponse] {
  const render = readMappedAnswer(
    logicalId,
    property('ResponseParameters'),
    'gatewayresponse.header.',
    property('ResponseTemplates') ?? builtInTemplates,
  );
  const status = property('StatusCode');
  return [property('ResponseType'), { render, ...(status && { statusCode: Number(status) }) }];
}

/** The template's response for the fault's type, or its default for 4xx or 5xx, or API Gateway's own response. */
export function renderGatewayResponse(
  fault: GatewayFault,
  responses: GatewayResponses,
  context: RequestContext,
): GatewayAnswer {
  const { status, message, errorType } = fault.builtIn;
  const fallback = status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const response: GatewayResponse = responses.get(fault.type) ?? responses.get(fallback) ?? builtIn;
  context.error = {
    message,
    messageString: JSON.stringify(message),
    responseType: fault.type,
  };
  const { headers, body } = response.render(context);
  return {
    statusCode: response.statusCode ?? status,
    headers: [['x-amzn-ErrorType', `${errorType}Exception`], ...headers],
    body,
  };
}
