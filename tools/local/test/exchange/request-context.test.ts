import { describe, expect, it } from '@jest/globals';
import { createContext, createRequest } from '../small-template.ts';

describe('the context of a request', () => {
  it('tells what is known of it before any step', () => {
    const request = createRequest({
      method: 'POST',
      target: '/test/orders?a=b',
      timeMs: Date.UTC(2026, 3, 9, 12, 34, 56, 789),
      headers: [
        ['User-Agent', 'one'],
        ['User-Agent', 'two'],
        ['User-Agent', 'three'],
      ],
    });

    expect(createContext(request)).toEqual({
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      stage: 'test',
      deploymentId: 'd1',
      domainName: 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'a1b2c3d4e5',
      httpMethod: 'POST',
      path: '/test/orders',
      protocol: 'HTTP/1.1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      extendedRequestId: expect.stringMatching(/^[\w-]{15}=$/),
      requestTime: '09/Apr/2026:12:34:56 +0000',
      requestTimeEpoch: Date.UTC(2026, 3, 9, 12, 34, 56, 789),
      identity: { sourceIp: '192.0.2.1', userAgent: 'three' },
    });
  });

  it('says that a client names no user agent', () => {
    expect(createContext(createRequest()).identity.userAgent).toBeNull();
  });
});
