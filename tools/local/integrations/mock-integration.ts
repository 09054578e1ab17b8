import { TemplateError, unsupported } from '../errors.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import {
  type MappedAnswer,
  readMappedAnswer,
  renderMappedAnswer,
} from '../exchange/mapped-answer.ts';
import type { GatewayAnswer, RequestContext } from '../exchange/request-context.ts';
import type { TemplateResource } from '../template/template.ts';

/** An integration that answers every request in the same way, without a backend. */
export interface MockIntegration extends MappedAnswer {
  readonly type: 'MOCK';
  /** The content types of the requests that it takes, in lower case. */
  readonly contentTypes: ReadonlySet<string>;
  readonly statusCode: number;
}

/**
 * Reads a method's MOCK integration. It has one response, and its request templates contain nothing but
 * the status of that response.
 *
 * @throws TemplateError if a part is not supported, such as a template in the Velocity language
 */
export function readMockIntegration({ logicalId, property }: TemplateResource): MockIntegration {
  const { PassthroughBehavior, RequestTemplates, IntegrationResponses } = property('Integration');
  if (PassthroughBehavior !== 'NEVER') {
    throw unsupported(logicalId, 'PassthroughBehavior other than NEVER');
  }
  const [response, another] = IntegrationResponses;
  const { StatusCode, ResponseParameters = {}, ResponseTemplates } = response;
  const requestTemplate = `{"statusCode":${StatusCode}}`;
  if (another || Object.values(RequestTemplates).some((text) => text !== requestTemplate)) {
    throw unsupported(logicalId, 'a MOCK integration with several statuses');
  }
  // API Gateway leaves out what the method's responses do not declare.
  const [declared] = property('MethodResponses') ?? [];
  const names = Object.keys(declared?.ResponseParameters ?? {});
  const isWhole = Object.keys(ResponseParameters).every((name) => names.includes(name));
  if (declared?.StatusCode !== StatusCode || !isWhole) {
    throw new TemplateError(logicalId, `MethodResponses lacks parts of the response ${StatusCode}`);
  }
  const prefix = 'method.response.header.';
  return {
    ...readMappedAnswer(logicalId, ResponseParameters, prefix, ResponseTemplates),
    type: 'MOCK',
    contentTypes: new Set(Object.keys(RequestTemplates).map((type) => type.toLowerCase())),
    statusCode: Number(StatusCode),
  };
}

/**
 * Answers a request as a MOCK integration does.
 *
 * @throws GatewayFault `UNSUPPORTED_MEDIA_TYPE` if no template is for the request's content type
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-mock-integration.html
 */
export function answerMock(
  integration: MockIntegration,
  request: IncomingRequest,
  context: RequestContext,
): GatewayAnswer {
  const { contentTypes, statusCode } = integration;
  const header = request.headers.get('content-type')?.values.at(-1) ?? 'application/json';
  const sent = header.split(';')[0]!.trim().toLowerCase();
  if (!contentTypes.has(sent)) throw new GatewayFault('UNSUPPORTED_MEDIA_TYPE');
  return { statusCode, ...renderMappedAnswer(integration, context) };
}
