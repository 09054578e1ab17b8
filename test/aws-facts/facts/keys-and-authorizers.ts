import type { Fact, FactApi, FactMethod, Recording } from '../fact.ts';
import { localstack, sam } from '../sources.ts';

const key = 'a-key-of-more-than-20-characters';

/** A request whose status alone was recorded. */
function fact(
  id: string,
  title: string,
  path: string,
  status: number,
  headers: Record<string, string> = {},
): Fact {
  return { id, title, request: { path, headers }, answer: { status } };
}

const mock: FactMethod = {
  mock: { requestTemplate: '{"statusCode": 200}' },
  isApiKeyRequired: true,
};
const keyTest = localstack(
  'test_apigateway_common',
  'TestUsagePlans::test_api_key_required_for_methods',
);
const keyApi = (isEnabled: boolean): FactApi => ({
  stage: 'dev',
  apiKeySource: 'HEADER',
  methods: { 'GET /test': mock },
  apiKey: { value: key, isEnabled },
});

const enabledKey: Recording = {
  source: keyTest,
  endpoint: 'EDGE',
  api: keyApi(true),
  facts: [
    fact('key/none', 'a method that requires a key answers 403 without one', '/dev/test', 403),
    fact('key/enabled', 'and 200 with one', '/dev/test', 200, { 'x-api-key': key }),
  ],
};

const disabledKey: Recording = {
  source: keyTest,
  endpoint: 'EDGE',
  api: keyApi(false),
  facts: [
    fact('key/disabled', 'a key that is disabled is as good as none', '/dev/test', 403, {
      'x-api-key': key,
    }),
  ],
};

const success = (path: string): FactMethod => ({
  function: { [path]: { statusCode: 200, body: 'Success' } },
});

const minimal: Recording = {
  source: sam('test_api_with_authorizers', 'TestApiWithAuthorizers::test_authorizers_min'),
  endpoint: 'REGIONAL',
  api: {
    stage: 'Prod',
    authorizer: { header: 'Authorization' },
    methods: {
      'GET /none': success('/none'),
      'GET /lambda-token': { ...success('/lambda-token'), hasAuthorizer: true },
    },
  },
  facts: [
    fact('authorizer/none', 'a method without an authorizer asks for no token', '/Prod/none', 200),
    fact('authorizer/no-token', 'a missing token is answered 401', '/Prod/lambda-token', 401),
    fact(
      'authorizer/allowed',
      'a token that is allowed is answered 200',
      '/Prod/lambda-token',
      200,
      { Authorization: 'allow' },
    ),
  ],
};

const ownHeader: FactApi = {
  stage: 'Prod',
  authorizer: { header: 'MyCustomAuthHeader', validationExpression: 'allow', resultTtlSeconds: 20 },
  methods: {
    'GET /none': success('/none'),
    'GET /lambda-token': { ...success('/lambda-token'), hasAuthorizer: true },
  },
};

const maximal: Recording = {
  source: sam('test_api_with_authorizers', 'TestApiWithAuthorizers::test_authorizers_max'),
  endpoint: 'REGIONAL',
  api: ownHeader,
  facts: [
    fact(
      'authorizer/own-header-none',
      "a method may be without the API's authorizer",
      '/Prod/none',
      200,
    ),
    fact(
      'authorizer/own-header-missing',
      'a missing token in a header of its own is answered 401',
      '/Prod/lambda-token',
      401,
    ),
    fact(
      'authorizer/own-header',
      'the token may come in a header of its own',
      '/Prod/lambda-token',
      200,
      { MyCustomAuthHeader: 'allow' },
    ),
  ],
};

const withKeys: Recording = {
  source: sam('test_api_with_authorizers', 'TestApiWithAuthorizers::test_authorizers_max_openapi'),
  endpoint: 'REGIONAL',
  api: {
    ...ownHeader,
    methods: {
      ...ownHeader.methods,
      'GET /apikey': { ...success('/apikey'), isApiKeyRequired: true },
    },
    apiKey: { value: key, isEnabled: true },
  },
  facts: [
    fact(
      'authorizer/openapi-none',
      'a method of an OpenAPI document may be without the authorizer',
      '/Prod/none',
      200,
    ),
    fact(
      'authorizer/openapi-missing',
      'a method of an OpenAPI document with one answers 401 without a token',
      '/Prod/lambda-token',
      401,
    ),
    fact('authorizer/openapi-allowed', 'and 200 with one', '/Prod/lambda-token', 200, {
      MyCustomAuthHeader: 'allow',
    }),
    fact(
      'key/beside-authorizer',
      'a method may ask for a key and for no token',
      '/Prod/apikey',
      200,
      { 'x-api-key': key },
    ),
    fact(
      'key/beside-authorizer-none',
      'such a method answers 403 without the key',
      '/Prod/apikey',
      403,
    ),
  ],
};

const keyFromAuthorizer: Recording = {
  source: sam(
    'test_api_with_authorizer_apikey',
    'TestApiWithAuthorizerApiKey::test_authorizer_apikey',
  ),
  endpoint: 'REGIONAL',
  api: {
    stage: 'Prod',
    apiKeySource: 'AUTHORIZER',
    authorizer: { header: 'Authorization', usageIdentifierKey: 'needatleast20characters' },
    methods: {
      'GET /none': success('/none'),
      'GET /lambda-token-api-key': {
        ...success('/lambda-token-api-key'),
        hasAuthorizer: true,
        isApiKeyRequired: true,
      },
    },
    apiKey: { value: 'needatleast20characters', isEnabled: true },
  },
  facts: [
    fact(
      'key/authorizer-none',
      'a method without authorizer and key asks for neither',
      '/Prod/none',
      200,
    ),
    fact(
      'key/authorizer-no-token',
      'a missing token is answered 401 before a key is looked for',
      '/Prod/lambda-token-api-key',
      401,
    ),
    fact('key/authorizer', 'the authorizer names the key', '/Prod/lambda-token-api-key', 200, {
      Authorization: 'allow',
    }),
    fact(
      'key/authorizer-not-header',
      'a key in a header is no token',
      '/Prod/lambda-token-api-key',
      401,
      { 'x-api-key': 'needatleast20characters' },
    ),
  ],
};

const unsigned: Recording = {
  source: sam(
    'test_api_with_gateway_responses',
    'TestApiWithGatewayResponses::test_gateway_responses',
  ),
  endpoint: 'REGIONAL',
  api: {
    stage: 'Prod',
    methods: { 'GET /iam': { ...success('/iam'), authorizationType: 'AWS_IAM' } },
  },
  facts: [
    fact(
      'authorizer/iam',
      'a method that asks for a signature answers 403 without one',
      '/Prod/iam',
      403,
    ),
  ],
};

export const keysAndAuthorizers: readonly Recording[] = [
  enabledKey,
  disabledKey,
  minimal,
  maximal,
  withKeys,
  keyFromAuthorizer,
  unsigned,
];
