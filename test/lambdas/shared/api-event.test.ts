import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { authorizerContext, header, logFields } from '../../../lambdas/shared/api-event.ts';
import { keyId } from '../../helpers/dynamodb/key-items.ts';
import { proxyEvent, requestContext, requestId } from '../../helpers/functions/events.ts';

describe('header', () => {
  it.each(['accept-encoding', 'Accept-Encoding', 'ACCEPT-ENCODING'])('finds %s', (name) => {
    expect(header(proxyEvent({ headers: { [name]: 'gzip' } }), 'accept-encoding')).toBe('gzip');
  });

  it('joins a header that was sent more than once, also in different spellings', () => {
    const multiValueHeaders = { 'Accept-Encoding': ['gzip', 'br'], 'accept-encoding': ['deflate'] };
    const event = proxyEvent({ headers: { 'Accept-Encoding': 'br' }, multiValueHeaders });

    expect(header(event, 'accept-encoding')).toBe('gzip, br, deflate');
  });

  it('finds a header of an event that has single values only, in any spelling', () => {
    const event = { headers: { Accept: '*/*', 'ACCEPT-encoding': 'gzip' } };

    expect(header(event as unknown as APIGatewayProxyEvent, 'accept-encoding')).toBe('gzip');
  });

  it('ignores a header whose list of values is missing', () => {
    const event = { headers: null, multiValueHeaders: { 'accept-encoding': undefined } };

    expect(header(event as unknown as APIGatewayProxyEvent, 'accept-encoding')).toBeUndefined();
  });

  it('takes no value of another header', () => {
    const multiValueHeaders = { accept: ['*/*'] };
    const event = proxyEvent({ headers: { 'Accept-Encoding': 'gzip' }, multiValueHeaders });

    expect(header(event, 'accept-encoding')).toBe('gzip');
  });

  it.each([
    ['an empty list', { headers: {}, multiValueHeaders: {} }],
    ['null', { headers: null, multiValueHeaders: null }],
    ['another header', { headers: { accept: '*/*' } }],
  ])('finds nothing in %s', (_name, overrides) => {
    expect(header(proxyEvent(overrides), 'accept-encoding')).toBeUndefined();
  });
});

describe('authorizerContext', () => {
  it('is what the authorizer found out', () => {
    expect(authorizerContext(proxyEvent())).toMatchObject({ keyId, limit: '60' });
  });

  it.each([undefined, null])('is empty where the authorizer is %s', (authorizer) => {
    const event = proxyEvent({ requestContext: requestContext({ authorizer }) });

    expect(authorizerContext(event)).toEqual({});
  });
});

describe('logFields', () => {
  it("are the request's id and the key's public id", () => {
    expect(logFields(proxyEvent())).toEqual({ requestId, keyId });
  });

  it('are empty for an event without a context', () => {
    expect(logFields({} as APIGatewayProxyEvent)).toEqual({});
  });
});
