import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import {
  checkMapping,
  checkTemplate,
  evaluateMapping,
  type MappingSource,
  substituteVariables,
} from '../exchange/mapping-expressions.ts';
import { checkKnownProperties } from '../template/known-properties.ts';
import type { TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';

/** An integration that answers without a backend. */
export interface MockIntegration {
  readonly type: 'MOCK';
  /** Templates by the request's content type. Each results in a JSON object with `statusCode`. */
  readonly requestTemplates: Readonly<Record<string, string>>;
  /** Whether requests of other content types are passed through or refused. */
  readonly passthroughBehavior: string;
  readonly responses: readonly MockResponse[];
}

export interface MockResponse {
  readonly statusCode: number;
  /** The statuses to which this response applies; undefined for the default response. */
  readonly selectionPattern: RegExp | undefined;
  /** Mapping expressions by header name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body templates by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

const headerPrefix = 'method.response.header.';
const jsonType = 'application/json';
// The properties of the second line have no effect without a backend.
const knownProperties = `
  IntegrationResponses PassthroughBehavior RequestTemplates Type
  IntegrationHttpMethod RequestParameters TimeoutInMillis Uri`;
const knownResponseProperties = 'ResponseParameters ResponseTemplates SelectionPattern StatusCode';

/**
 * Reads a method's MOCK integration.
 *
 * @throws TemplateError for what is not supported, such as templates in the Velocity language, and
 *   for a response that the method does not declare
 */
export function readMockIntegration({ logicalId, property }: TemplateResource): MockIntegration {
  const integration = property('Integration');
  checkKnownProperties(logicalId, 'Integration', integration, knownProperties);
  const requestTemplates: Record<string, string> = integration.RequestTemplates ?? {};
  for (const template of Object.values(requestTemplates)) checkTemplate(template, logicalId);
  const declared = new Map<string, Record<string, boolean>>(
    (property('MethodResponses') ?? []).map((response: Record<string, never>) => [
      String(response.StatusCode),
      response.ResponseParameters ?? {},
    ]),
  );
  return {
    type: 'MOCK',
    requestTemplates,
    passthroughBehavior: integration.PassthroughBehavior ?? 'WHEN_NO_MATCH',
    responses: (integration.IntegrationResponses ?? []).map((response: Record<string, never>) =>
      readResponse(response, declared, logicalId),
    ),
  };
}

/**
 * Answers a request as a MOCK integration does: its request template gives a status, and the
 * response for that status gives headers and body.
 *
 * @throws GatewayFault `UNSUPPORTED_MEDIA_TYPE` when no template is for the request's content type;
 *   `API_CONFIGURATION_ERROR` when there is no status, or no response for it
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-mock-integration.html
 */
export function answerMock(mock: MockIntegration, source: MappingSource): GatewayAnswer {
  const status = statusOf(integrationRequest(mock, source));
  const response =
    mock.responses.find(({ selectionPattern }) => selectionPattern?.test(status)) ??
    mock.responses.find(({ selectionPattern }) => !selectionPattern);
  if (!response) throw new GatewayFault('API_CONFIGURATION_ERROR', { cause: `status ${status}` });
  const [contentType, template] = Object.entries(response.templates)[0] ?? [jsonType, ''];
  const mapped = Object.entries(response.headers).flatMap(([name, mapping]): [string, string][] => {
    const value = evaluateMapping(mapping, source);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    statusCode: response.statusCode,
    headers: [['Content-Type', contentType], ...mapped],
    body: Buffer.from(substituteVariables(template, source)),
  };
}

/** Whether a request's body is passed to the integration without a template. */
export function passesBodyThrough(mock: MockIntegration, request: IncomingRequest): boolean {
  const { requestTemplates, passthroughBehavior } = mock;
  if (templateFor(mock, request) !== undefined) return false;
  const hasTemplates = Object.keys(requestTemplates).length > 0;
  return (
    passthroughBehavior === 'WHEN_NO_MATCH' ||
    (passthroughBehavior === 'WHEN_NO_TEMPLATES' && !hasTemplates)
  );
}

function templateFor({ requestTemplates }: MockIntegration, request: IncomingRequest) {
  const header = request.headers.get('content-type')?.values.at(-1) ?? jsonType;
  return requestTemplates[header.split(';')[0]!.trim().toLowerCase()];
}

function integrationRequest(mock: MockIntegration, source: MappingSource): string {
  const template = templateFor(mock, source.request);
  if (template !== undefined) return substituteVariables(template, source);
  if (!passesBodyThrough(mock, source.request)) throw new GatewayFault('UNSUPPORTED_MEDIA_TYPE');
  return source.request.body.toString('utf8');
}

function statusOf(integrationRequest: string): string {
  try {
    const { statusCode } = parseLeniently(integrationRequest);
    if (Number.isInteger(Number(statusCode))) return String(statusCode);
    throw new TypeError(`statusCode: ${statusCode}`);
  } catch (cause) {
    throw new GatewayFault('API_CONFIGURATION_ERROR', { cause });
  }
}

/** Parses JSON whose names may be unquoted, as in the `{statusCode: 200}` that the CDK writes. */
function parseLeniently(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replaceAll(/([{,]\s*)([A-Za-z_]\w*)(?=\s*:)/g, '$1"$2"'));
  }
}

function readResponse(
  response: Record<string, unknown>,
  declared: ReadonlyMap<string, Record<string, boolean>>,
  logicalId: string,
): MockResponse {
  const path = 'Integration.IntegrationResponses';
  checkKnownProperties(logicalId, path, response, knownResponseProperties);
  const { StatusCode, SelectionPattern } = response;
  const parameters = declared.get(String(StatusCode));
  if (!parameters) throw new TemplateError(logicalId, `declares no response ${StatusCode}`);
  const templates = (response.ResponseTemplates ?? {}) as Record<string, string>;
  for (const template of Object.values(templates)) checkTemplate(template, logicalId);
  return {
    statusCode: Number(StatusCode),
    selectionPattern: SelectionPattern ? new RegExp(`^(?:${SelectionPattern})$`) : undefined,
    headers: readHeaders(response.ResponseParameters ?? {}, parameters, logicalId),
    templates,
  };
}

function readHeaders(
  mappings: object,
  declared: Readonly<Record<string, boolean>>,
  logicalId: string,
): Record<string, string> {
  const headers = Object.entries(mappings).map(([target, mapping]) => {
    if (!target.startsWith(headerPrefix) || !(target in declared)) {
      throw new TemplateError(logicalId, `declares no response parameter ${target}`);
    }
    checkMapping(mapping, logicalId);
    return [target.slice(headerPrefix.length), mapping];
  });
  return Object.fromEntries(headers);
}
