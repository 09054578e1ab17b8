import { describe, expect, it } from '@jest/globals';
import { type StageName, stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

interface Expected {
  status: number;
  code: string;
  message: RegExp | string;
  rateLimit: 'none' | 'authorizer';
  headers?: Record<string, string>;
}

const unauthorized: Expected = {
  status: 401,
  code: 'unauthorized',
  message: 'A valid API key is required: Authorization: Bearer <API key>.',
  rateLimit: 'none',
  headers: { 'WWW-Authenticate': `'Bearer realm="store-orders"'` },
};
const unavailable: Expected = {
  status: 503,
  code: 'service_unavailable',
  message: /Retry after 1 second\.$/,
  rateLimit: 'none',
  headers: { 'Retry-After': "'1'" },
};
const notFound: Expected = { status: 404, code: 'not_found', message: /./, rateLimit: 'none' };
const internalError: Expected = {
  status: 500,
  code: 'internal_error',
  message: /./,
  rateLimit: 'none',
};
const retryAfter = { 'Retry-After': 'context.authorizer.retryAfter' };

const expected: Record<string, Expected> = {
  UNAUTHORIZED: unauthorized,
  INVALID_API_KEY: { ...unavailable, rateLimit: 'authorizer' },
  EXPIRED_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  ACCESS_DENIED: {
    status: 429,
    code: '$context.authorizer.code',
    message: '$context.authorizer.message',
    rateLimit: 'authorizer',
    headers: retryAfter,
  },
  THROTTLED: {
    status: 429,
    code: 'rate_limit_exceeded',
    message: /Retry after 1 second\.$/,
    rateLimit: 'none',
    headers: { 'Retry-After': "'1'" },
  },
  QUOTA_EXCEEDED: {
    status: 429,
    code: 'quota_exceeded',
    message: /Retry after \$context\.authorizer\.retryAfter seconds\.$/,
    rateLimit: 'authorizer',
    headers: retryAfter,
  },
  AUTHORIZER_FAILURE: unavailable,
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  MISSING_AUTHENTICATION_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  BAD_REQUEST_PARAMETERS: { status: 400, code: 'bad_request', message: /./, rateLimit: 'none' },
  BAD_REQUEST_BODY: { status: 400, code: 'invalid_body', message: /./, rateLimit: 'none' },
  REQUEST_TOO_LARGE: { status: 413, code: 'request_too_large', message: /./, rateLimit: 'none' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    message: /./,
    rateLimit: 'none',
  },
  WAF_FILTERED: { status: 403, code: 'forbidden', message: /./, rateLimit: 'none' },
  INTEGRATION_FAILURE: { ...internalError, rateLimit: 'authorizer' },
  API_CONFIGURATION_ERROR: { ...internalError, rateLimit: 'authorizer' },
  INTEGRATION_TIMEOUT: { status: 504, code: 'timeout', message: /./, rateLimit: 'authorizer' },
  DEFAULT_4XX: { status: 400, code: 'bad_request', message: /./, rateLimit: 'none' },
  DEFAULT_5XX: internalError,
};

describe.each(stageNames)('gateway responses of %s', (stage) => {
  it('R4, I14: give every type that API Gateway has the Error shape', () => {
    const types = Object.keys(responses(stage)).sort();

    expect(types).toEqual(Object.keys(expected).sort());
  });

  describe.each(Object.entries(expected))('%s', (type, { status, code, message, ...rest }) => {
    it(`answers ${status} ${code}, with a body that says the same`, () => {
      const { RestApiId, StatusCode, ResponseTemplates } = responses(stage)[type]!;

      const body = JSON.parse(ResponseTemplates['application/json']!);

      expect(RestApiId).toBe('${ApiRestApi}');
      expect(StatusCode).toBe(String(status));
      expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
      expect(body).toEqual({ code, message: body.message, status });
      expect(body.message).toMatch(message);
    });

    it('R22: carries the rate-limit headers, and those of its own', () => {
      const { ResponseParameters } = responses(stage)[type]!;

      const value = (name: string, otherwise = '0') =>
        rest.rateLimit === 'authorizer' ? `context.authorizer.${name}` : `'${otherwise}'`;
      expect(ResponseParameters).toEqual(
        asParameters({
          'X-RateLimit-Limit': value('limit'),
          'X-RateLimit-Remaining': value('remaining'),
          'X-RateLimit-Reset': value('reset'),
          'RateLimit-Policy': value('rateLimitPolicy', '"minute";q=0;w=60, "day";q=0;w=86400'),
          RateLimit: value('rateLimit', '"minute";r=0;t=0, "day";r=0;t=0'),
          ...rest.headers,
        }),
      );
    });
  });
});

interface Response {
  RestApiId: string;
  ResponseType: string;
  StatusCode: string;
  ResponseParameters: Record<string, string>;
  ResponseTemplates: Record<string, string>;
}

function responses(stage: StageName): Record<string, Response> {
  const all = Object.values(properties(stage, 'AWS::ApiGateway::GatewayResponse')) as Response[];
  return Object.fromEntries(all.map((response) => [response.ResponseType, response]));
}

function asParameters(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
  );
}
