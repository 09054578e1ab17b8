import { absent, containing, type FactAnswer, present, type Recording } from '../fact.ts';
import { dotnet } from '../sources.ts';

const json = 'application/json';
const results: readonly [string, string, string, unknown, FactAnswer][] = [
  [
    'simple',
    'V1_SimpleJsonResponseRest',
    'a JSON body is answered byte for byte',
    { statusCode: 200, body: '{"message":"Hello, World!"}', headers: { 'Content-Type': json } },
    {
      status: 200,
      headers: { 'Content-Type': json, 'Content-Length': '27' },
      body: '{"message":"Hello, World!"}',
    },
  ],
  [
    'created',
    'V1_SetsCorrectStatusCodeRest',
    'status 201 is kept',
    { statusCode: 201, body: '{"message":"Created"}' },
    { status: 201, body: '{"message":"Created"}' },
  ],
  [
    'custom-header',
    'V1_SetsHeadersRest',
    'a header of the function is answered in its spelling',
    {
      statusCode: 200,
      headers: { 'Content-Type': json, 'X-Custom-Header': 'CustomValue' },
      body: '{"message":"With Headers"}',
    },
    {
      status: 200,
      headers: { 'X-Custom-Header': 'CustomValue' },
      headerNames: ['X-Custom-Header'],
    },
  ],
  [
    'multi-value-headers',
    'V1_SetsMultiValueHeadersRest',
    'several values are several headers',
    {
      statusCode: 200,
      multiValueHeaders: { 'X-Multi-Header': ['Value1', 'Value2'] },
      body: '{"message":"With MultiValueHeaders"}',
    },
    { status: 200, headers: { 'X-Multi-Header': ['Value1', 'Value2'], 'Content-Length': '36' } },
  ],
  [
    'not-base64',
    'V1_SetsBodyNonBase64Rest',
    'a body that is marked as no base64 is a text',
    { statusCode: 200, body: '{"message":"Hello, World!"}', isBase64Encoded: false },
    { status: 200, body: '{"message":"Hello, World!"}' },
  ],
  [
    'default-content-type',
    'V1_DefaultsToCorrectContentTYpeRest',
    'a body without a content type is said to be JSON even when it is not',
    { statusCode: 200, body: 'Hello, World!' },
    { status: 200, headers: { 'Content-Type': json }, body: 'Hello, World!' },
  ],
  [
    'commas',
    'V1_HandlesHeadersCorrectlyRest',
    'a comma does not divide a header, a list does',
    {
      headers: { 'Content-Type': json, myheader: 'test,other', anotherheader: 'secondvalue' },
      multiValueHeaders: { headername: ['headervalue', 'headervalue2'] },
      body: '{"message":"With Multiple Headers"}',
      statusCode: 200,
    },
    {
      status: 200,
      headers: {
        myheader: 'test,other',
        anotherheader: 'secondvalue',
        headername: ['headervalue', 'headervalue2'],
      },
    },
  ],
  [
    'combined',
    'V1_CombinesSingleAndMultiValueHeadersRest',
    'a name in both kinds of headers is answered once for every value, the single one last',
    {
      headers: {
        'Content-Type': json,
        'X-Custom-Header': 'single-value',
        'Combined-Header': 'single-value',
      },
      multiValueHeaders: {
        'X-Multi-Header': ['multi-value1', 'multi-value2'],
        'Combined-Header': ['multi-value1', 'multi-value2'],
      },
      body: '{"message":"With Combined Headers"}',
      statusCode: 200,
    },
    {
      status: 200,
      headers: {
        'Combined-Header': ['multi-value1', 'multi-value2', 'single-value'],
        'X-Custom-Header': 'single-value',
        'X-Multi-Header': ['multi-value1', 'multi-value2'],
      },
    },
  ],
  [
    'content-length',
    'V1_SetsContentLengthRest',
    'the length of the body is stated',
    { body: '{"message":"Hello, World!"}', isBase64Encoded: false, statusCode: 200 },
    { status: 200, headers: { 'Content-Length': '27' } },
  ],
  [
    'status-zero',
    'V1_HandlesZeroStatusCodeRest',
    'status 0 is malformed',
    { statusCode: 0, body: '{"key":"This body should be replaced"}' },
    {
      status: 502,
      headers: { 'Content-Type': json, 'x-amzn-ErrorType': 'InternalServerErrorException' },
      json: { message: 'Internal server error' },
    },
  ],
  [
    'malformed-body',
    'V1_HandlesZeroStatusCodeRest',
    'the body of a malformed result has a space after its colon',
    { statusCode: 0, body: '{"key":"This body should be replaced"}' },
    {
      status: 502,
      headers: { 'Content-Length': '36' },
      body: '{"message": "Internal server error"}',
    },
  ],
  [
    'malformed-untraced',
    'V1_HandlesZeroStatusCodeRest',
    'the answer to a malformed result names no trace',
    { statusCode: 0, body: '{"key":"This body should be replaced"}' },
    { status: 502, headers: { 'X-Amzn-Trace-Id': absent } },
  ],
  [
    'content-type',
    'V1_UsesProvidedContentTypeRest',
    'a content type of the function is answered',
    { statusCode: 200, body: 'Hello, World!', headers: { 'Content-Type': json } },
    { status: 200, headers: { 'Content-Type': json, 'Content-Length': '13' } },
  ],
  [
    'own-headers',
    'V1_APIHeadersRest',
    'API Gateway adds the headers that identify a request',
    { statusCode: 200, body: 'Test body' },
    {
      status: 200,
      headers: {
        'x-amzn-RequestId': present,
        'x-amz-apigw-id': present,
        'X-Amzn-Trace-Id': present,
        'x-amzn-ErrorType': absent,
      },
      headerNames: ['x-amzn-RequestId', 'x-amz-apigw-id', 'X-Amzn-Trace-Id', 'Content-Type'],
    },
  ],
  [
    'not-sampled',
    'V1_APIHeadersRest',
    'the trace of a client that names none has a parent and is not sampled',
    { statusCode: 200, body: 'Test body' },
    { status: 200, headers: { 'X-Amzn-Trace-Id': containing(';Sampled=0') } },
  ],
  [
    'own-error',
    'ToApiGatewayProxyResponse_InvalidJson_ReturnsErrorResponseRest',
    'a 502 that the function returns is answered as the function wrote it',
    {
      statusCode: 502,
      headers: { 'Content-Type': json },
      body: '{"message":"Internal server error"}',
    },
    {
      status: 502,
      headers: {
        'Content-Length': '35',
        'X-Amzn-Trace-Id': present,
        'x-amzn-ErrorType': absent,
      },
      body: '{"message":"Internal server error"}',
    },
  ],
];

export const proxyResultsDotnet: readonly Recording[] = results.map(
  ([name, snapshot, title, functionReturns, answer]): Recording => ({
    source: dotnet(snapshot, 'ApiGatewayResponseExtensionsTests.IntegrationTest_APIGatewayV1_REST'),
    endpoint: 'REGIONAL',
    api: { stage: 'test', methods: { 'POST /parse-and-return': { function: 'returnBody' } } },
    facts: [
      {
        id: `proxy-result/dotnet-${name}`,
        title,
        request: { path: '/test/parse-and-return', functionReturns },
        answer,
      },
    ],
  }),
);
