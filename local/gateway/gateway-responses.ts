import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import {
  builtInResponses,
  type GatewayFault,
  type GatewayResponseType,
} from '../exchange/gateway-fault.ts';
import {
  checkMapping,
  checkTemplate,
  evaluateMapping,
  type MappingSource,
  substituteVariables,
} from '../exchange/mapping-expressions.ts';
import { withContentType } from '../exchange/response-headers.ts';
import type { Template } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';

/** A gateway response as the template defines it. */
export interface GatewayResponse {
  readonly statusCode: number | undefined;
  /** Mapping expressions by header name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body templates by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

export type GatewayResponses = ReadonlyMap<string, GatewayResponse>;

const jsonType = 'application/json';
const defaultBody = '{"message":$context.error.messageString}';

// Types whose default body has a space after the colon, according to recorded answers of AWS.
const spacedTypes = new Set<GatewayResponseType>([
  'API_CONFIGURATION_ERROR',
  'INTEGRATION_FAILURE',
]);
const spacedBody = '{"message": $context.error.messageString}';
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
      if (!(type in builtInResponses))
        throw new TemplateError(resource.logicalId, `the response type ${type} does not exist`);
      const headers = headerMappings(resource.property('ResponseParameters'), resource.logicalId);
      const templates = resource.property('ResponseTemplates') ?? {};
      for (const text of Object.values(templates)) checkTemplate(String(text), resource.logicalId);
      const status = resource.property('StatusCode');
      return [type, { statusCode: status ? Number(status) : undefined, headers, templates }];
    }),
  );
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
  source: MappingSource,
): GatewayAnswer {
  const faultStatus = fault.status ?? builtInResponses[fault.type].status;
  const fallback = faultStatus >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const defined = responses.get(fault.type) ?? responses.get(fallback);
  const [contentType, body] = bodyTemplate(fault.type, defined);

  source.context.error = {
    message: fault.shownMessage,
    messageString: JSON.stringify(fault.shownMessage),
    responseType: fault.type,
  };
  return {
    statusCode: defined?.statusCode ?? faultStatus,
    headers: [
      ['x-amzn-ErrorType', fault.errorType],
      ...withContentType(mappedHeaders(defined?.headers ?? {}, source), contentType),
    ],
    body: Buffer.from(substituteVariables(body, source)),
  };
}

/** The content type and the body template. */
function bodyTemplate(
  type: GatewayResponseType,
  defined: GatewayResponse | undefined,
): [string, string] {
  if (!defined && spacedTypes.has(type)) return [jsonType, spacedBody];
  return Object.entries(defined?.templates ?? {})[0] ?? [jsonType, defaultBody];
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
