import {
  type IntegrationResponse,
  type MethodResponse,
  MockIntegration,
  PassthroughBehavior,
} from 'aws-cdk-lib/aws-apigateway';
import { type ErrorAnswer, errorBody } from './gateway-responses.ts';

/**
 * A MOCK integration that gives one error as its answer, and the method's response that it needs.
 *
 * @param contentTypes of requests that are answered so. API Gateway reads the status from the
 *   request template for the request's content type, by default JSON, and answers 415 to all others.
 */
export function fixedAnswer(
  error: ErrorAnswer,
  headers: Readonly<Record<string, string>>,
  contentTypes: readonly string[] = ['application/json'],
): { integration: MockIntegration; methodResponses: MethodResponse[] } {
  const statusCode = String(error.status);
  const response: IntegrationResponse = {
    statusCode,
    responseParameters: responseParameters(headers, (value) => value),
    responseTemplates: { 'application/json': errorBody(error) },
  };
  const requestTemplate = JSON.stringify({ statusCode: error.status });
  return {
    integration: new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: Object.fromEntries(contentTypes.map((type) => [type, requestTemplate])),
      integrationResponses: [response],
    }),
    methodResponses: [{ statusCode, responseParameters: responseParameters(headers, () => true) }],
  };
}

function responseParameters<T>(
  headers: Readonly<Record<string, string>>,
  to: (value: string) => T,
): Record<string, T> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [`method.response.header.${name}`, to(value)]),
  );
}
