import { TemplateError, type TemplateResource } from '../template.ts';
import { GatewayFault } from './gateway-responses.ts';
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
  const [{ StatusCode, ResponseParameters, ResponseTemplates }] = IntegrationResponses;
  const requestTemplates: string[] = Object.values(RequestTemplates);
  const isFixed = requestTemplates.every((text) => text === `{"statusCode":${StatusCode}}`);
  if (PassthroughBehavior !== 'NEVER' || !isFixed) {
    throw new TemplateError(logicalId, 'a MOCK integration whose status depends on the request');
  }
  const render = readMappedAnswer(logicalId, ResponseParameters, ResponseTemplates);
  const contentTypes = Object.keys(RequestTemplates);

  return async ({ headers }, context) => {
    const sent = headers.get('content-type')?.values.at(-1) ?? 'application/json';
    const contentType = sent.split(';')[0]!.trim().toLowerCase();
    if (!contentTypes.includes(contentType)) throw new GatewayFault('UNSUPPORTED_MEDIA_TYPE');
    return { statusCode: Number(StatusCode), ...render(context) };
  };
}
