import { describe, expect, it } from '@jest/globals';
import { petOperationDates } from '../../../lib/api/fixed-routes.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

const headers = {
  'X-RateLimit-Limit': 'context.authorizer.limit',
  'X-RateLimit-Remaining': 'context.authorizer.remaining',
  'X-RateLimit-Reset': 'context.authorizer.reset',
  'RateLimit-Policy': 'context.authorizer.rateLimitPolicy',
  RateLimit: 'context.authorizer.rateLimit',
  Deprecation: "'@1777593600'",
  Sunset: "'Sun, 01 Nov 2026 00:00:00 GMT'",
  Link: `'<../store/orders>; rel="successor-version"'`,
};

describe.each(stageNames)('GET /pets/{petId} of %s', (stage) => {
  it('R28, I27: is deprecated, and answers 410 with its sunset date', () => {
    const method = properties(stage, 'AWS::ApiGateway::Method').ApiRestApiv1petspetIdGET;

    expect(method).toEqual({
      RestApiId: '${ApiRestApi}',
      ResourceId: '${ApiRestApiv1petspetId}',
      HttpMethod: 'GET',
      OperationName: 'getPet',
      AuthorizationType: 'CUSTOM',
      AuthorizerId: '${ApiAuthorizer}',
      ApiKeyRequired: true,
      Integration: {
        Type: 'MOCK',
        PassthroughBehavior: 'NEVER',
        RequestTemplates: { 'application/json': '{"statusCode":410}' },
        IntegrationResponses: [
          {
            StatusCode: '410',
            ResponseParameters: asParameters(headers, (value) => value),
            ResponseTemplates: {
              'application/json': JSON.stringify({
                code: 'gone',
                message: 'This operation was retired. See the Sunset header.',
                status: 410,
              }),
            },
          },
        ],
      },
      MethodResponses: [
        { StatusCode: '410', ResponseParameters: asParameters(headers, () => true) },
      ],
    });
  });
});

describe('its dates', () => {
  it('put the deprecation before the sunset, as RFC 9745 asks', () => {
    const { deprecatedAt, sunsetAt } = petOperationDates;

    expect(deprecatedAt.getTime()).toBeLessThan(sunsetAt.getTime());
    expect(headers.Deprecation).toBe(`'@${deprecatedAt.getTime() / 1000}'`);
    expect(headers.Sunset).toBe(`'${sunsetAt.toUTCString()}'`);
  });
});

function asParameters<T>(values: Record<string, string>, to: (value: string) => T) {
  const entries = Object.entries(values);
  return Object.fromEntries(
    entries.map(([name, value]) => [`method.response.header.${name}`, to(value)]),
  );
}
