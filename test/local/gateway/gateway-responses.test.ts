import { describe, expect, it } from '@jest/globals';
import { GatewayFault, type GatewayResponseType } from '../../../local/exchange/gateway-fault.ts';
import type { MappingSource } from '../../../local/exchange/mapping-expressions.ts';
import {
  readGatewayResponses,
  renderGatewayResponse,
} from '../../../local/gateway/gateway-responses.ts';
import { createContext, createRequest, createTemplate, type Resources } from '../small-template.ts';

function source(): MappingSource {
  const request = createRequest({ headers: [['Origin', 'https://one.example']] });
  const context = { ...createContext(request), authorizer: { limit: '60', wait: '17' } };
  return { request, context, pathParameters: {}, stageVariables: {} };
}

function definition(ResponseType: string, properties: object = {}): Resources {
  return {
    [ResponseType]: {
      Type: 'AWS::ApiGateway::GatewayResponse',
      Properties: { RestApiId: 'api', ResponseType, ...properties },
    },
  };
}

function render(fault: GatewayFault | GatewayResponseType, resources: Resources = {}) {
  const responses = readGatewayResponses(createTemplate(resources));
  const thrown = typeof fault === 'string' ? new GatewayFault(fault) : fault;
  const { statusCode, headers, body } = renderGatewayResponse(thrown, responses, source());
  return { statusCode, headers: Object.fromEntries(headers), body: String(body) };
}

describe('gateway response', () => {
  it.each<[GatewayResponseType, number, string | null, string]>([
    ['ACCESS_DENIED', 403, 'User is not authorized to access this resource', 'AccessDenied'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 500, null, 'AuthorizerConfiguration'],
    ['AUTHORIZER_FAILURE', 500, null, 'AuthorizerFailure'],
    ['BAD_REQUEST_BODY', 400, 'Invalid request body', 'BadRequest'],
    ['BAD_REQUEST_PARAMETERS', 400, 'Bad Request', 'BadRequest'],
    ['DEFAULT_4XX', 400, 'Bad Request', 'BadRequest'],
    ['DEFAULT_5XX', 500, 'Internal server error', 'InternalServerError'],
    ['EXPIRED_TOKEN', 403, 'The security token included in the request is expired', 'ExpiredToken'],
    ['INTEGRATION_TIMEOUT', 504, 'Endpoint request timed out', 'InternalServerError'],
    ['INVALID_API_KEY', 403, 'Forbidden', 'Forbidden'],
    ['INVALID_SIGNATURE', 403, 'The request signature is not valid', 'InvalidSignature'],
    [
      'MISSING_AUTHENTICATION_TOKEN',
      403,
      'Missing Authentication Token',
      'MissingAuthenticationToken',
    ],
    ['QUOTA_EXCEEDED', 429, 'Limit Exceeded', 'LimitExceeded'],
    ['REQUEST_TOO_LARGE', 413, 'Request Too Long', 'RequestTooLarge'],
    ['RESOURCE_NOT_FOUND', 404, 'Not Found', 'NotFound'],
    ['THROTTLED', 429, 'Too Many Requests', 'TooManyRequests'],
    ['UNAUTHORIZED', 401, 'Unauthorized', 'Unauthorized'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'Unsupported Media Type', 'BadRequest'],
    ['WAF_FILTERED', 403, 'Forbidden', 'Forbidden'],
  ])('%s is %i unless the template says otherwise', (type, statusCode, message, errorType) => {
    expect(render(type)).toEqual({
      statusCode,
      headers: {
        'x-amzn-ErrorType': `${errorType}Exception`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ message }),
    });
  });

  it.each<[GatewayResponseType, number]>([
    ['API_CONFIGURATION_ERROR', 500],
    ['INTEGRATION_FAILURE', 504],
  ])('%s has a space in its body where nothing is defined', (type, status) => {
    expect(render(type)).toMatchObject({
      statusCode: status,
      headers: { 'x-amzn-ErrorType': 'InternalServerErrorException' },
      body: '{"message": "Internal server error"}',
    });
    expect(render(type, definition('DEFAULT_5XX')).body).toBe(
      '{"message":"Internal server error"}',
    );
  });

  it('has the status, headers and body of its definition', () => {
    const ACCESS_DENIED = definition('ACCESS_DENIED', {
      StatusCode: '429',
      ResponseParameters: {
        'gatewayresponse.header.X-Static': "'text'",
        'gatewayresponse.header.X-Limit': 'context.authorizer.limit',
        'gatewayresponse.header.X-Origin': 'method.request.header.Origin',
        'gatewayresponse.header.X-Missing': 'context.authorizer.missing',
      },
      ResponseTemplates: {
        'application/json':
          '{"wait":$context.authorizer.wait,"type":"$context.error.responseType"}',
      },
    });

    expect(render('ACCESS_DENIED', ACCESS_DENIED)).toStrictEqual({
      statusCode: 429,
      headers: {
        'x-amzn-ErrorType': 'AccessDeniedException',
        'Content-Type': 'application/json',
        'X-Static': 'text',
        'X-Limit': '60',
        'X-Origin': 'https://one.example',
      },
      body: '{"wait":17,"type":"ACCESS_DENIED"}',
    });
  });

  it('keeps a content type that a header mapping sets', () => {
    const properties = {
      ResponseParameters: {
        'gatewayresponse.header.X-Limit': "'0'",
        'gatewayresponse.header.content-type': "'application/problem+json'",
      },
    };

    const { headers } = render('UNAUTHORIZED', definition('UNAUTHORIZED', properties));

    expect(headers).toMatchObject({ 'content-type': 'application/problem+json' });
    expect(headers).not.toHaveProperty('Content-Type');
  });

  it.each<[GatewayResponseType, string]>([
    ['THROTTLED', 'DEFAULT_4XX'],
    ['UNAUTHORIZED', 'DEFAULT_4XX'],
    ['INTEGRATION_TIMEOUT', 'DEFAULT_5XX'],
  ])('%s without a definition is rendered as %s', (type, fallback) => {
    const defaults = {
      ...definition('DEFAULT_4XX', { ResponseTemplates: { 'application/json': 'DEFAULT_4XX' } }),
      ...definition('DEFAULT_5XX', { ResponseTemplates: { 'application/json': 'DEFAULT_5XX' } }),
    };

    expect(render(type, defaults).body).toBe(fallback);
  });

  it('keeps the status of the fault where its definition sets none', () => {
    const fault = new GatewayFault('INTEGRATION_FAILURE', { status: 502 });

    expect(render(fault, definition('DEFAULT_5XX')).statusCode).toBe(502);
    expect(render(fault, definition('DEFAULT_5XX', { StatusCode: '500' })).statusCode).toBe(500);
  });

  it('shows the error message as text and as JSON', () => {
    const ResponseTemplates = {
      'application/json': '$context.error.message $context.error.messageString',
    };

    const { body } = render('UNAUTHORIZED', definition('UNAUTHORIZED', { ResponseTemplates }));

    expect(body).toBe('Unauthorized "Unauthorized"');
  });

  it.each([
    ['an unknown type', 'SOMETHING', {}, 'the response type SOMETHING'],
    [
      'a query parameter mapping',
      'THROTTLED',
      { ResponseParameters: { 'gatewayresponse.querystring.a': "'b'" } },
      'the parameter gatewayresponse.querystring.a',
    ],
    [
      'a mapping of the integration',
      'THROTTLED',
      { ResponseParameters: { 'gatewayresponse.header.a': 'integration.response.header.a' } },
      'the mapping integration.response.header.a',
    ],
    [
      'a body in Velocity',
      'THROTTLED',
      { ResponseTemplates: { 'application/json': "$input.json('$')" } },
      'a template with $i',
    ],
  ])('is refused with %s, naming the resource', (_, type, properties, message) => {
    expect(() => render('THROTTLED', definition(type, properties))).toThrow(`${type}: ${message}`);
  });
});
