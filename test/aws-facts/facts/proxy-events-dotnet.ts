import type { Expected, Recording } from '../fact.ts';
import { dotnet } from '../sources.ts';

/** The event of one POST request without a body, as .NET's client sends it. */
function dotnetEvent(
  snapshot: string,
  resource: string,
  path: string,
  facts: readonly [string, string, Expected][],
  sent: Record<string, string> = {},
): Recording {
  return {
    source: dotnet(snapshot, 'HttpContextExtensionsTests.IntegrationTest_APIGatewayV1_REST'),
    endpoint: 'REGIONAL',
    api: { stage: 'test', methods: { [`POST ${resource}`]: { function: 'echo' } } },
    facts: facts.map(([name, title, received]) => ({
      id: `proxy-event/dotnet-${name}`,
      title,
      request: {
        method: 'POST',
        path,
        headers: { ...sent, 'Content-Type': 'text/plain; charset=utf-8' },
      },
      received,
    })),
  };
}

const ordersPath = '/test1/api/users/123/orders';
const specialPath = '/test5/api/users/****%20Doe/orders/Summer%20Sale%202023';
const unicodePath = '/test6/api/products/%E2%98%95%20Coffee/reviews/%F0%9F%98%8A%20Happy';

export const proxyEventsDotnet: readonly Recording[] = [
  dotnetEvent(
    'V1_SimpleGetRequestRest',
    '/test1/api/users/{userId}/orders',
    `/test${ordersPath}?status=pending&tag=important&tag=urgent`,
    [
      [
        'parameter',
        'a path parameter has its own name',
        {
          resource: '/test1/api/users/{userId}/orders',
          path: ordersPath,
          pathParameters: { userId: '123' },
        },
      ],
      [
        'cookie',
        'cookies arrive as one header',
        {
          headers: { Cookie: 'session=abc123; theme=dark' },
          multiValueHeaders: { Cookie: ['session=abc123; theme=dark'] },
        },
      ],
      [
        'custom-header',
        'a header of the client stands in both kinds of headers',
        {
          headers: { 'X-Custom-Header': 'value1' },
          multiValueHeaders: { 'X-Custom-Header': ['value1'] },
        },
      ],
      [
        'query',
        'the last of several values is the single one',
        {
          queryStringParameters: { status: 'pending', tag: 'urgent' },
          multiValueQueryStringParameters: { status: ['pending'], tag: ['important', 'urgent'] },
        },
      ],
      ['empty-body', 'an empty body is null', { body: null, isBase64Encoded: false }],
      [
        'forwarded-port',
        'the port is 443 and the protocol https',
        { headers: { 'X-Forwarded-Port': '443', 'X-Forwarded-Proto': 'https' } },
      ],
      [
        'user-agent',
        'the user agent stands in the headers and in the identity',
        {
          headers: { 'User-Agent': 'TestAgent' },
          requestContext: { identity: { userAgent: 'TestAgent' } },
        },
      ],
    ],
    {
      'User-Agent': 'TestAgent',
      Cookie: 'session=abc123; theme=dark',
      'X-Custom-Header': 'value1',
    },
  ),
  dotnetEvent(
    'V1_UrlEncodedQueryStringRest',
    '/test4/api/search',
    '/test/test4/api/search?q=Hello%20World&tag=C%23%20Programming&tag=.NET%20Core',
    [
      [
        'encoded-query',
        'encoded query parameters are decoded',
        {
          queryStringParameters: { q: 'Hello World', tag: '.NET Core' },
          multiValueQueryStringParameters: {
            q: ['Hello World'],
            tag: ['C# Programming', '.NET Core'],
          },
        },
      ],
      ['no-parameters', 'a path without parameters has null', { pathParameters: null }],
      [
        'no-user-agent',
        'a request without a user agent has null in its identity',
        { requestContext: { identity: { userAgent: null } } },
      ],
    ],
  ),
  dotnetEvent(
    'V1_SpecialCharactersInPathRest',
    '/test5/api/users/{username}/orders/{orderName}',
    `/test${specialPath}`,
    [
      [
        'special-path',
        'a path with encoded spaces stays encoded',
        { path: specialPath, requestContext: { path: `/test${specialPath}` } },
      ],
      [
        'special-parameters',
        'so do its parameters',
        { pathParameters: { username: '****%20Doe', orderName: 'Summer%20Sale%202023' } },
      ],
    ],
  ),
  dotnetEvent(
    'V1_UnicodeCharactersInPathRest',
    '/test6/api/products/{productName}/reviews/{reviewTitle}',
    `/test${unicodePath}`,
    [
      [
        'unicode-path',
        'a path with encoded characters outside ASCII stays encoded',
        { path: unicodePath, requestContext: { path: `/test${unicodePath}` } },
      ],
      [
        'unicode-parameters',
        'so do its parameters',
        {
          pathParameters: {
            productName: '%E2%98%95%20Coffee',
            reviewTitle: '%F0%9F%98%8A%20Happy',
          },
        },
      ],
    ],
  ),
];
