import { TemplateError } from '../errors.ts';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { builtInResponses, type GatewayFault } from '../exchange/gateway-fault.ts';
import {
  checkTemplate,
  mappedHeaders,
  readHeaderMappings,
  substituteVariables,
} from '../exchange/mapping-expressions.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { Template, TemplateResource } from '../template/template.ts';

/** A gateway response as the template defines it. */
export interface GatewayResponse {
  readonly statusCode: number | undefined;
  /** Mapping expressions by header name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body templates by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

export type GatewayResponses = ReadonlyMap<string, GatewayResponse>;

const defaultTemplate = ['application/json', '{"message":$context.error.messageString}'] as const;

/**
 * The template's gateway responses by type.
 *
 * @throws TemplateError for a type, a header mapping or a body template that is not supported
 */
export function readGatewayResponses(template: Template): GatewayResponses {
  return new Map(template.ofType('AWS::ApiGateway::GatewayResponse').map(readGatewayResponse));
}

function readGatewayResponse({ logicalId, property }: TemplateResource): [string, GatewayResponse] {
  const type = property('ResponseType');
  if (!(type in builtInResponses))
    throw new TemplateError(logicalId, `the response type ${type} does not exist`);
  const parameters = property('ResponseParameters');
  const templates: Record<string, string> = property('ResponseTemplates') ?? {};
  for (const text of Object.values(templates)) checkTemplate(text, logicalId);
  const status = property('StatusCode');
  return [
    type,
    {
      statusCode: status ? Number(status) : undefined,
      headers: readHeaderMappings(parameters, 'gatewayresponse.header.', logicalId),
      templates,
    },
  ];
}

/**
 * Renders the gateway response for a fault. The template's response for the fault's type comes
 * first, then its default response for 4xx or 5xx, then the one that API Gateway has built in.
 *
 * A response without a status keeps the status of the fault.
 */
export function renderGatewayResponse(
  fault: GatewayFault,
  responses: GatewayResponses,
  context: RequestContext,
): GatewayAnswer {
  const faultStatus = fault.status ?? builtInResponses[fault.type].status;
  const fallback = faultStatus >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const defined = responses.get(fault.type) ?? responses.get(fallback);
  const [contentType, body] = Object.entries(defined?.templates ?? {})[0] ?? defaultTemplate;
  context.error = {
    message: fault.shownMessage,
    messageString: JSON.stringify(fault.shownMessage),
    responseType: fault.type,
  };
  return {
    statusCode: defined?.statusCode ?? faultStatus,
    headers: [
      ['x-amzn-ErrorType', fault.errorType],
      ['Content-Type', contentType],
      ...mappedHeaders(defined?.headers ?? {}, context),
    ],
    body: Buffer.from(substituteVariables(body, context)),
  };
}
