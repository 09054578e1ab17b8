import {
  type IntegrationResponse,
  MockIntegration,
  PassthroughBehavior,
  type Resource,
} from 'aws-cdk-lib/aws-apigateway';
import { errorBody, rateLimitMappings } from './gateway-responses.ts';

/** When `GET /pets/{petId}` was declared deprecated, and when it stopped being served. */
export const petOperationDates = {
  deprecatedAt: new Date('2026-05-01T00:00:00Z'),
  sunsetAt: new Date('2026-11-01T00:00:00Z'),
};

/**
 * Adds `GET {petId}` below `pets`: no function, one fixed answer, 410, that says since when.
 * `Deprecation` is a structured-field date (RFC 9745), `Sunset` an HTTP date (RFC 8594).
 */
export function addRetiredPetOperation(pets: Resource): void {
  const headers: Record<string, string> = {
    ...rateLimitMappings('authorizer'),
    Deprecation: `'@${petOperationDates.deprecatedAt.getTime() / 1000}'`,
    Sunset: `'${petOperationDates.sunsetAt.toUTCString()}'`,
    Link: `'<../store/orders>; rel="successor-version"'`,
  };
  pets.addResource('{petId}').addMethod('GET', goneIntegration(headers), {
    operationName: 'getPet',
    methodResponses: [
      { statusCode: '410', responseParameters: responseParameters(headers, () => true) },
    ],
  });
}

function goneIntegration(headers: Record<string, string>): MockIntegration {
  const gone: IntegrationResponse = {
    statusCode: '410',
    responseParameters: responseParameters(headers, (value) => value),
    responseTemplates: {
      'application/json': errorBody({
        status: 410,
        code: 'gone',
        message: 'This operation was retired. See the Sunset header.',
      }),
    },
  };
  return new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': '{"statusCode":410}' },
    integrationResponses: [gone],
  });
}

function responseParameters<T>(
  headers: Record<string, string>,
  to: (value: string) => T,
): Record<string, T> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [`method.response.header.${name}`, to(value)]),
  );
}
