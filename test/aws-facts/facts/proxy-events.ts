import {
  absent,
  type Expected,
  type Fact,
  type FactRequest,
  present,
  type Recording,
} from '../fact.ts';
import { localstack } from '../sources.ts';

const headers = {
  'Accept-Encoding': 'gzip, deflate',
  Accept: '*/*',
  'User-Agent': 'python-requests/testing',
  'tEsT-HEADeR': 'aValUE',
  authorization: 'random-value',
};
const simple: FactRequest = { path: '/stage/proxy-value', headers };
const emails = 'user/test%2Balias@gmail.com/plus/test+alias@gmail.com';
const query = [
  'dateTimeOffset=2023-06-12T18:05:10.123456+00:00',
  'email=test%2Balias@gmail.com',
  'plus=test+alias@gmail.com',
  'url=https://www.google.com/',
  'whitespace=foo%20bar',
  'zhash=abort/',
].join('&');
const decoded = {
  dateTimeOffset: '2023-06-12T18:05:10.123456 00:00',
  email: 'test+alias@gmail.com',
  plus: 'test alias@gmail.com',
  url: 'https://www.google.com/',
  whitespace: 'foo bar',
  zhash: 'abort/',
};
const multi: FactRequest = {
  method: 'POST',
  path: '/stage/proxy-value?category=electronics&category=books&price=10&price=20&price=30',
  headers: {
    'Content-Type': 'application/json;charset=utf-8',
    aUThorization: 'Bearer token123;API key456',
    'User-Agent': 'python-requests/testing',
  },
  body: '{"message": "hello world"}',
};

/** Paths after the stage's slash, as sent; what the event says of each. */
const paths: readonly [string, string, string, Expected][] = [
  [
    'plain',
    '/stage/proxy-value',
    'a path is handed on without the stage, and with it in the context',
    {
      path: '/proxy-value',
      pathParameters: { proxy: 'proxy-value' },
      requestContext: { path: '/stage/proxy-value' },
    },
  ],
  [
    'trailing-slash',
    '/stage/proxy-value/',
    'a trailing slash stays in the path and is left out of a greedy parameter',
    {
      path: '/proxy-value/',
      pathParameters: { proxy: 'proxy-value' },
      requestContext: { path: '/stage/proxy-value/' },
    },
  ],
  [
    'double-slash',
    '/stage/proxy-value//double-slash',
    'a doubled slash within a greedy parameter is kept',
    {
      path: '/proxy-value//double-slash',
      pathParameters: { proxy: 'proxy-value//double-slash' },
      requestContext: { path: '/stage/proxy-value//double-slash' },
    },
  ],
  [
    'slash-before-stage',
    '//stage/proxy-value',
    'a doubled slash before the stage is taken for a single one everywhere',
    {
      path: '/proxy-value',
      pathParameters: { proxy: 'proxy-value' },
      requestContext: { path: '/stage/proxy-value' },
    },
  ],
  [
    'slash-after-stage',
    '/stage//proxy-value',
    'a doubled slash after the stage is kept in the path of the context only',
    {
      path: '/proxy-value',
      pathParameters: { proxy: 'proxy-value' },
      requestContext: { path: '/stage//proxy-value' },
    },
  ],
  [
    'slash-after-stage-static',
    '/stage//hardcoded',
    'a doubled slash after the stage does not keep a request from a static resource',
    {
      path: '/hardcoded',
      pathParameters: null,
      resource: '/hardcoded',
      requestContext: { path: '/stage//hardcoded', resourcePath: '/hardcoded' },
    },
  ],
  [
    'query-not-in-path',
    '/stage/proxy-value?urlparam=test',
    'the query is no part of any path',
    { path: '/proxy-value', requestContext: { path: '/stage/proxy-value' } },
  ],
  [
    'trailing-slash-and-query',
    '/stage/proxy-value/?urlparam=test',
    'a trailing slash before the query is treated as one without',
    {
      path: '/proxy-value/',
      pathParameters: { proxy: 'proxy-value' },
      requestContext: { path: '/stage/proxy-value/' },
    },
  ],
  [
    'encoded-characters',
    `/stage/proxy-value/api/${emails}`,
    'an encoded plus stays encoded, and a plus stays a plus, in every path',
    {
      path: `/proxy-value/api/${emails}`,
      pathParameters: { proxy: `proxy-value/api/${emails}` },
      requestContext: { path: `/stage/proxy-value/api/${emails}` },
    },
  ],
];

/** Parts of the event of one plain request. */
const parts: readonly [string, string, Expected][] = [
  ['resource', 'the resource is named by its path', { resource: '/{proxy+}' }],
  [
    'method',
    'the method stands at the top and in the context',
    { httpMethod: 'GET', requestContext: { httpMethod: 'GET' } },
  ],
  [
    'no-body',
    'a request without a body has null, not encoded',
    { body: null, isBase64Encoded: false },
  ],
  [
    'no-query',
    'a request without a query has null for both kinds of parameters',
    { queryStringParameters: null, multiValueQueryStringParameters: null },
  ],
  ['no-stage-variables', 'a stage without variables has null', { stageVariables: null }],
  [
    'header-case',
    'a header keeps the letter case that the client chose',
    { headers: { 'tEsT-HEADeR': 'aValUE' }, multiValueHeaders: { 'tEsT-HEADeR': ['aValUE'] } },
  ],
  [
    'authorization-case',
    'the header authorization arrives as Authorization',
    {
      headers: { Authorization: 'random-value', authorization: absent },
      multiValueHeaders: { Authorization: ['random-value'] },
    },
  ],
  ['deployment', 'the context names the deployment', { requestContext: { deploymentId: present } }],
  [
    'ids',
    'the context names account, API, resource, request and stage',
    {
      requestContext: {
        accountId: present,
        apiId: present,
        resourceId: present,
        requestId: present,
        extendedRequestId: present,
        stage: 'stage',
      },
    },
  ],
  [
    'domain',
    'the context names the domain and its first label',
    { requestContext: { domainName: present, domainPrefix: present } },
  ],
  [
    'resource-path',
    'the context has the path of the resource',
    { requestContext: { resourcePath: '/{proxy+}' } },
  ],
  ['protocol', 'the context has the protocol', { requestContext: { protocol: 'HTTP/1.1' } }],
  [
    'time',
    'the context has the time in two forms',
    { requestContext: { requestTime: present, requestTimeEpoch: present } },
  ],
  [
    'user-agent',
    'the identity has the user agent',
    { requestContext: { identity: { userAgent: 'python-requests/testing' } } },
  ],
  [
    'source-ip',
    "the identity has the client's address",
    { requestContext: { identity: { sourceIp: present } } },
  ],
  [
    'unsigned',
    'all that a signed request would have in its identity is null',
    {
      requestContext: {
        identity: {
          accessKey: null,
          accountId: null,
          caller: null,
          principalOrgId: null,
          user: null,
          userArn: null,
        },
      },
    },
  ],
  [
    'no-cognito',
    'all that Cognito would have in the identity is null',
    {
      requestContext: {
        identity: {
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
        },
      },
    },
  ],
  [
    'no-api-key',
    'a method without a key has none in the identity',
    { requestContext: { identity: { apiKey: absent, apiKeyId: absent } } },
  ],
  [
    'no-authorizer',
    'a method without an authorizer has none in the context',
    { requestContext: { authorizer: absent, operationName: absent } },
  ],
];

const localstackEvents: Recording = {
  source: localstack('test_apigateway_lambda', 'test_lambda_aws_proxy_integration'),
  endpoint: 'EDGE',
  api: {
    stage: 'stage',
    methods: { 'ANY /{proxy+}': { function: 'echo' }, 'ANY /hardcoded': { function: 'echo' } },
  },
  facts: [
    ...paths.map(
      ([name, path, title, received]): Fact => ({
        id: `proxy-event/path-${name}`,
        title,
        request: { path, headers },
        received,
      }),
    ),
    ...parts.map(
      ([name, title, received]): Fact => ({
        id: `proxy-event/${name}`,
        title,
        request: simple,
        received,
      }),
    ),
    {
      id: 'proxy-event/query',
      title: 'a query parameter stands in both kinds of parameters',
      request: { path: '/stage/proxy-value?urlparam=test', headers },
      received: {
        queryStringParameters: { urlparam: 'test' },
        multiValueQueryStringParameters: { urlparam: ['test'] },
      },
    },
    {
      id: 'proxy-event/query-decoded',
      title: 'query parameters are decoded, and a plus is a space',
      request: { path: `/stage/proxy-value/api?${query}`, headers },
      received: {
        queryStringParameters: decoded,
        multiValueQueryStringParameters: Object.fromEntries(
          Object.entries(decoded).map(([name, value]) => [name, [value]]),
        ),
      },
    },
    {
      id: 'proxy-event/query-repeated',
      title: 'of a repeated query parameter the last value is the single one',
      request: multi,
      received: {
        queryStringParameters: { category: 'books', price: '30' },
        multiValueQueryStringParameters: {
          category: ['electronics', 'books'],
          price: ['10', '20', '30'],
        },
      },
    },
    {
      id: 'proxy-event/authorization-mixed-case',
      title: 'the header aUThorization arrives as Authorization',
      request: multi,
      received: {
        headers: { Authorization: 'Bearer token123;API key456', aUThorization: absent },
      },
    },
    {
      id: 'proxy-event/content-type',
      title: 'the content type arrives with its parameter as it was written',
      request: multi,
      received: { headers: { 'Content-Type': 'application/json;charset=utf-8' } },
    },
    {
      id: 'proxy-event/text-body',
      title: 'a JSON body arrives as the text that it is',
      request: multi,
      received: { body: '{"message": "hello world"}', isBase64Encoded: false },
    },
  ],
};

const rustFunction: Recording = {
  source: localstack('test_apigateway_lambda', 'test_lambda_rust_proxy_integration'),
  endpoint: 'EDGE',
  api: { stage: 'test', methods: { 'GET /': { function: 'echo' } } },
  facts: [
    {
      id: 'proxy-event/root',
      title: 'a method of the root is reached with its query',
      request: { path: '/test/?first_name=Ann' },
      answer: { status: 200 },
      received: { queryStringParameters: { first_name: 'Ann' } },
    },
  ],
};

const mappedPath = '/test/foobar?testQueryString=foo&testVar=bar';
const mapped: FactRequest = {
  method: 'POST',
  path: mappedPath,
  headers: {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    foobar: 'mapped-value',
    'user-Agent': 'test/integration',
    headerVar: 'request-value',
  },
  body: '{"message": "hello world"}',
};

/** Its integration has parameter mappings as well, which an AWS_PROXY integration does not apply. */
const mappings: Recording = {
  source: localstack(
    'test_apigateway_lambda',
    'test_lambda_aws_proxy_integration_request_data_mapping',
  ),
  endpoint: 'EDGE',
  api: { stage: 'test', methods: { 'ANY /{pathVariable}': { function: 'echo' } } },
  facts: [
    {
      id: 'proxy-event/user-agent-case',
      title: 'the header user-Agent arrives as User-Agent',
      request: mapped,
      received: { headers: { 'User-Agent': 'test/integration', 'user-Agent': absent } },
    },
    {
      id: 'proxy-event/lower-case-header',
      title: 'a header in lower case or camel case stays as it is',
      request: mapped,
      received: { headers: { foobar: 'mapped-value', headerVar: 'request-value' } },
    },
    {
      id: 'proxy-event/single-parameter',
      title: 'a parameter of one segment has the segment',
      request: mapped,
      received: { resource: '/{pathVariable}', pathParameters: { pathVariable: 'foobar' } },
    },
    {
      id: 'proxy-event/query-of-post',
      title: 'the query of a POST request arrives beside its body',
      request: mapped,
      received: {
        body: '{"message": "hello world"}',
        queryStringParameters: { testQueryString: 'foo', testVar: 'bar' },
      },
    },
  ],
};

export const proxyEvents: readonly Recording[] = [localstackEvents, mappings, rustFunction];
