import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import {
  checkTemplate,
  mappedHeaders,
  readHeaderMappings,
  substituteVariables,
} from '../exchange/mapping-expressions.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { checkKnownProperties } from '../template/known-properties.ts';
import type { TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';

/** An integration that answers every request in the same way, without a backend. */
export interface MockIntegration {
  readonly type: 'MOCK';
  /** The content types of the requests that it takes, in lower case. */
  readonly contentTypes: ReadonlySet<string>;
  readonly statusCode: number;
  /** Mapping expressions by header name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The content type and the template of the body. */
  readonly body: readonly [string, string];
}

const jsonType = 'application/json';
const headerPrefix = 'method.response.header.';

/**
 * Reads a method's MOCK integration, whose request templates are all the status of its one response.
 *
 * @throws TemplateError for what is not supported, such as templates in the Velocity language, and
 *   for a response that the method does not declare
 */
export function readMockIntegration({ logicalId, property }: TemplateResource): MockIntegration {
  const integration = property('Integration');
  const known = 'IntegrationResponses PassthroughBehavior RequestTemplates Type';
  checkKnownProperties(logicalId, 'Integration', integration, known);
  const { PassthroughBehavior, RequestTemplates, IntegrationResponses } = integration;
  if (PassthroughBehavior !== 'NEVER') {
    throw new TemplateError(logicalId, 'a MOCK integration that passes bodies is not supported');
  }
  const [response, another] = IntegrationResponses;
  const path = 'Integration.IntegrationResponses';
  checkKnownProperties(
    logicalId,
    path,
    response,
    'ResponseParameters ResponseTemplates StatusCode',
  );
  const statusCode = Number(response.StatusCode);
  const statuses = Object.values<string>(RequestTemplates).map((text) => statusOf(text, logicalId));
  if (another || statuses.some((status) => status !== statusCode)) {
    throw new TemplateError(logicalId, 'a MOCK integration with several statuses is not supported');
  }
  const headers = readHeaderMappings(response.ResponseParameters, headerPrefix, logicalId);
  checkDeclared(property('MethodResponses') ?? [], statusCode, Object.keys(headers), logicalId);
  const [body = [jsonType, ''] as const] = Object.entries<string>(response.ResponseTemplates ?? {});
  checkTemplate(body[1], logicalId);
  return {
    type: 'MOCK',
    contentTypes: new Set(Object.keys(RequestTemplates).map((type) => type.toLowerCase())),
    statusCode,
    headers,
    body,
  };
}

/**
 * Answers a request as a MOCK integration does.
 *
 * @throws GatewayFault `UNSUPPORTED_MEDIA_TYPE` when no template is for the request's content type
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-mock-integration.html
 */
export function answerMock(
  { contentTypes, statusCode, headers, body: [contentType, template] }: MockIntegration,
  request: IncomingRequest,
  context: RequestContext,
): GatewayAnswer {
  const header = request.headers.get('content-type')?.values.at(-1) ?? jsonType;
  const sent = header.split(';')[0]!.trim().toLowerCase();
  if (!contentTypes.has(sent)) throw new GatewayFault('UNSUPPORTED_MEDIA_TYPE');
  return {
    statusCode,
    headers: [['Content-Type', contentType], ...mappedHeaders(headers, context)],
    body: Buffer.from(substituteVariables(template, context)),
  };
}

function statusOf(requestTemplate: string, logicalId: string): number {
  const status = /^\{"statusCode":(\d{3})\}$/.exec(requestTemplate)?.[1];
  if (status) return Number(status);
  throw new TemplateError(logicalId, `the template ${requestTemplate} is not supported locally`);
}

/** API Gateway leaves out what the method's responses do not declare. */
function checkDeclared(
  declared: { StatusCode: string; ResponseParameters?: object }[],
  statusCode: number,
  headers: readonly string[],
  logicalId: string,
): void {
  const found = declared.find(({ StatusCode }) => Number(StatusCode) === statusCode);
  if (!found) throw new TemplateError(logicalId, `declares no response ${statusCode}`);
  const names = Object.keys(found.ResponseParameters ?? {});
  const missing = headers.find((name) => !names.includes(headerPrefix + name));
  if (missing) throw new TemplateError(logicalId, `declares no response parameter ${missing}`);
}
