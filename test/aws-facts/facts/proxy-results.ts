import { type FactAnswer, present, type Recording } from '../fact.ts';
import { localstack } from '../sources.ts';

const internalError = { message: 'Internal server error' };
const emptyAnswer: FactAnswer = { status: 200, body: '' };
const badGateway: FactAnswer = { status: 502, json: internalError };

const validated: readonly [string, string, unknown, FactAnswer][] = [
  ['status-only', 'a status alone is answered without a body', { statusCode: 200 }, emptyAnswer],
  [
    'headers',
    'headers are answered, a boolean one as a text',
    { statusCode: 200, headers: { 'test-header': 'value', 'header-bool': true } },
    { ...emptyAnswer, headers: { 'test-header': 'value', 'header-bool': 'true' } },
  ],
  [
    'identified',
    'an answer has the headers that identify its request',
    { statusCode: 200, headers: { 'test-header': 'value', 'header-bool': true } },
    {
      status: 200,
      headers: {
        'Content-Length': '0',
        'Content-Type': 'application/json',
        'X-Amzn-Trace-Id': present,
        'x-amz-apigw-id': present,
        'x-amzn-RequestId': present,
      },
    },
  ],
  [
    'null-headers',
    'headers that are null are as good as none',
    { statusCode: 200, headers: null },
    { ...emptyAnswer, headers: { 'Content-Type': 'application/json' } },
  ],
  [
    'unknown-field',
    'an unknown field is malformed',
    { statusCode: 200, wrongValue: 'value' },
    badGateway,
  ],
  [
    'base64-without-binary-types',
    'a base64 body is not decoded where the API has no binary types',
    { statusCode: 200, body: 'dGVzdC1kYXRh', isBase64Encoded: true },
    { status: 200, body: 'dGVzdC1kYXRh' },
  ],
  [
    'base64-unmarked',
    'a base64 body that is not marked as one is a text',
    { statusCode: 200, body: 'dGVzdC1kYXRh' },
    { status: 200, body: 'dGVzdC1kYXRh' },
  ],
  [
    'multi-value-headers',
    'each of several values of a header is answered',
    { statusCode: 200, multiValueHeaders: { 'test-multi': ['value1', 'value2'] } },
    { ...emptyAnswer, headers: { 'test-multi': 'value1, value2' } },
  ],
  [
    'merged-headers',
    'a name in both kinds of headers has the values of the list, then the single one',
    {
      statusCode: 200,
      multiValueHeaders: { 'test-multi': ['value-multi'] },
      headers: { 'test-multi': 'value-solo' },
    },
    { ...emptyAnswer, headers: { 'test-multi': 'value-multi, value-solo' } },
  ],
  [
    'merged-headers-casing',
    'merged headers have the spelling of the list',
    {
      statusCode: 200,
      multiValueHeaders: { 'tesT-Multi': ['value-multi'] },
      headers: { 'test-multi': 'value-solo' },
    },
    { ...emptyAnswer, headerNames: ['tesT-Multi'] },
  ],
  [
    'multi-value-no-list',
    'several values that are no list are malformed',
    { statusCode: 200, multiValueHeaders: { 'test-multi-invalid': 'value1' } },
    badGateway,
  ],
  [
    'status-no-number',
    'a status that is no number is malformed',
    { statusCode: 'test' },
    badGateway,
  ],
  ['status-as-text', 'a status may be a text', { statusCode: '201' }, { status: 201, body: '' }],
  ['text', 'a text is malformed', 'justAString', badGateway],
  [
    'no-status',
    'headers alone are answered 200',
    { headers: { 'test-header': 'value' } },
    emptyAnswer,
  ],
];

const payloadValidation: Recording = {
  source: localstack('test_apigateway_lambda', 'test_aws_proxy_response_payload_format_validation'),
  endpoint: 'EDGE',
  api: { stage: 'test', methods: { 'ANY /{proxy+}': { function: 'returnBody' } } },
  facts: [
    ...validated.map(([name, title, functionReturns, answer]) => ({
      id: `proxy-result/${name}`,
      title,
      request: { path: '/test/test', functionReturns },
      answer,
    })),
    {
      id: 'proxy-result/function-fails',
      title: 'a function that fails is answered 502',
      request: { method: 'POST', path: '/test/test' },
      answer: badGateway,
    },
  ],
};

const formats: readonly [string, string, FactAnswer][] = [
  ['no-body', 'a GET answered by a status alone has no body', emptyAnswer],
  [
    'only-headers',
    'a header may come without a body',
    { ...emptyAnswer, headers: { 'test-header': 'value' } },
  ],
  ['wrong-format', 'a GET answered by an unknown field is malformed', badGateway],
  ['empty-response', 'an empty object is answered 200 without a body', emptyAnswer],
];

const responseFormats: Recording = {
  source: localstack('test_apigateway_lambda', 'test_lambda_aws_proxy_response_format'),
  endpoint: 'EDGE',
  api: {
    stage: 'test',
    methods: {
      'ANY /{proxy+}': {
        function: {
          '/no-body': { statusCode: 200 },
          '/only-headers': { statusCode: 200, headers: { 'test-header': 'value' } },
          '/wrong-format': { statusCode: 200, wrongValue: 'value' },
          '/empty-response': {},
        },
      },
    },
  },
  facts: formats.map(([name, title, answer]) => ({
    id: `proxy-result/format-${name}`,
    title,
    request: { path: `/test/${name}` },
    answer,
  })),
};

const ownStatus: Recording = {
  source: localstack(
    'test_apigateway_basic',
    'TestAPIGateway::test_response_headers_invocation_with_apigw',
  ),
  endpoint: 'EDGE',
  api: {
    stage: 'api',
    methods: {
      'GET /{proxy+}': {
        function: {
          '/hello/world': {
            isBase64Encoded: false,
            statusCode: 300,
            headers: { 'content-type': 'application/xml' },
            body: '<message>completed</message>',
          },
        },
      },
    },
  },
  facts: [
    {
      id: 'proxy-result/own-status',
      title: 'status and body are what the function says',
      request: { path: '/api/hello/world' },
      answer: { status: 300, body: '<message>completed</message>' },
    },
    {
      id: 'proxy-result/own-content-type',
      title: 'the content type is what the function says',
      request: { path: '/api/hello/world' },
      answer: { status: 300, headers: { 'Content-Type': 'application/xml' } },
    },
  ],
};

export const proxyResults: readonly Recording[] = [payloadValidation, responseFormats, ownStatus];
