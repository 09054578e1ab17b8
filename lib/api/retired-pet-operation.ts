import type { Resource } from 'aws-cdk-lib/aws-apigateway';
import { fixedAnswer } from './fixed-answer.ts';
import { type ErrorAnswer, rateLimitMappings } from './gateway-responses.ts';

/** The dates on which `GET /pets/{petId}` was deprecated and on which it was retired. */
export const petOperationDates = {
  deprecatedAt: new Date('2026-05-01T00:00:00Z'),
  sunsetAt: new Date('2026-11-01T00:00:00Z'),
};

const gone: ErrorAnswer = {
  status: 410,
  code: 'gone',
  message: 'This operation was retired. See the Sunset header.',
};

/**
 * Adds `GET {petId}` below `pets`, which answers 410 without calling a function. The `Deprecation`
 * header is a structured-field date (RFC 9745), the `Sunset` header an HTTP date (RFC 8594).
 *
 * @param headers additional headers of the response, as mapping expressions
 */
export function addRetiredPetOperation(
  pets: Resource,
  headers: Readonly<Record<string, string>>,
): void {
  const { integration, methodResponses } = fixedAnswer(gone, {
    ...rateLimitMappings('authorizer'),
    ...headers,
    Deprecation: `'@${petOperationDates.deprecatedAt.getTime() / 1000}'`,
    Sunset: `'${petOperationDates.sunsetAt.toUTCString()}'`,
    Link: `'<../store/orders>; rel="successor-version"'`,
  });
  pets
    .addResource('{petId}')
    .addMethod('GET', integration, { operationName: 'getPet', methodResponses });
}
