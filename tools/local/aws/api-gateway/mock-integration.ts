import { TemplateError, unsupported } from '../errors.ts';
import type { TemplateResource } from '../template/template.ts';
import { GatewayFault } from './gateway-fault.ts';
import { readMappedAnswer } from './mapped-answer.ts';
import type { Integration } from './request-context.ts';

/**
 * Reads a MOCK integration that answers every request in the same way. It throws `UNSUPPORTED_MEDIA_TYPE` if no
 * request template is for the request's content type.
 *
 * @throws TemplateError if a part is not supported
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-mock-integration.html
 */
export function readMockIntegration({ logicalId, property }: TemplateResource): Integration {
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
  // API Gateway leaves out a header that the method's responses do not declare.
  const [declared] = property('MethodResponses') ?? [];
  const names = Object.keys(declared?.ResponseParameters ?? {});
  const isWhole = Object.keys(ResponseParameters).every((name) => names.includes(name));
  if (declared?.StatusCode !== StatusCode || !isWhole) {
    throw new TemplateError(logicalId, `MethodResponses lacks parts of the response ${StatusCode}`);
  }
  const prefix = 'method.response.header.';
  const render = readMappedAnswer(logicalId, ResponseParameters, prefix, ResponseTemplates);
  const contentTypes = Object.keys(RequestTemplates).map((type) => type.toLowerCase());

  return async ({ request, context }) => {
    const header = request.headers.get('content-type')?.values.at(-1) ?? 'application/json';
    const sent = header.split(';')[0]!.trim().toLowerCase();
    if (!contentTypes.includes(sent)) throw new GatewayFault('UNSUPPORTED_MEDIA_TYPE');
    return { statusCode: Number(StatusCode), ...render(context) };
  };
}
