import {
  type IntegrationResponse,
  type MethodResponse,
  MockIntegration,
  PassthroughBehavior,
} from 'aws-cdk-lib/aws-apigateway';
import { type ErrorAnswer, errorBody } from './gateway-responses.ts';

/** The content types that clients send, for responses that do not depend on the request's body. */
export const everyContentType = [
  'application/cbor',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/pdf',
  'application/problem+json',
  'application/soap+xml',
  'application/vnd.api+json',
  'application/x-ndjson',
  'application/x-protobuf',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/yaml',
  'application/zip',
  'image/jpeg',
  'image/png',
  'multipart/form-data',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
];

/**
 * A MOCK integration that always answers with the same error, and the method response it needs.
 *
 * @param headers of the response, as mapping expressions
 * @param contentTypes the content types of requests that are answered with the error. API Gateway
 *   takes the status from the request template for the content type, and answers 415 if there is none.
 */
export function fixedAnswer(
  error: ErrorAnswer,
  headers: Readonly<Record<string, string>>,
  contentTypes: readonly string[] = ['application/json'],
): { integration: MockIntegration; methodResponses: MethodResponse[] } {
  return mockAnswer({ status: error.status, body: errorBody(error) }, headers, contentTypes);
}

/** Like {@link fixedAnswer}, for any status and body. Without `body` the response is empty. */
export function mockAnswer(
  { status, body }: { readonly status: number; readonly body?: string },
  headers: Readonly<Record<string, string>>,
  contentTypes: readonly string[],
): { integration: MockIntegration; methodResponses: MethodResponse[] } {
  const statusCode = String(status);
  const response: IntegrationResponse = {
    statusCode,
    responseParameters: responseParameters(headers, (value) => value),
    ...(body !== undefined && { responseTemplates: { 'application/json': body } }),
  };
  const requestTemplate = JSON.stringify({ statusCode: status });
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
