import type { Fact, FactAnswer, Recording } from '../fact.ts';
import { dotnet, localstack, sam } from '../sources.ts';

/** A PNG image of one pixel. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/wIAAgkBAyMAlYwAAAAASUVORK5CYII=';
const decoded: FactAnswer = { status: 200, bodyBase64: image };
const text: FactAnswer = { status: 200, body: image };
const imageResult = (contentType?: string) => ({
  statusCode: 200,
  body: image,
  isBase64Encoded: true,
  headers: { ...(contentType ? { 'Content-Type': contentType } : {}), 'Cache-Control': 'no-cache' },
});

const source = localstack('test_apigateway_lambda', 'test_aws_proxy_binary_response');
const methods = { 'ANY /{proxy+}': { function: 'returnBody' } } as const;

function fact(
  name: string,
  title: string,
  path: string,
  accept: string,
  answer: FactAnswer,
  functionReturns: unknown = imageResult('image/png'),
): Fact {
  const headers = { 'User-Agent': 'python/test', Accept: accept };
  return { id: `binary-body/${name}`, title, request: { path, headers, functionReturns }, answer };
}

const withoutTypes: Recording = {
  source,
  endpoint: 'EDGE',
  api: { stage: 'test', methods },
  facts: [
    fact(
      'no-types',
      'stays base64 where the API has no binary types',
      '/test/test',
      'image/png',
      text,
    ),
  ],
};

const second = '/test2/test';
const withTypes: Recording = {
  source,
  endpoint: 'EDGE',
  api: { stage: 'test2', methods, binaryMediaTypes: ['image/png', '*/test'] },
  facts: [
    fact(
      'accepted',
      'is decoded where its type is binary and accepted',
      second,
      'image/png',
      decoded,
    ),
    fact('other-subtype', 'stays base64 where another type is accepted', second, 'image/jpg', text),
    fact('accept-wildcard', 'stays base64 where image/* is accepted', second, 'image/*', text),
    fact(
      'left-wildcard',
      'stays base64 for */test, which matches not even itself',
      second,
      '*/test',
      text,
    ),
    fact(
      'left-wildcard-any',
      'stays base64 for a type that */test might match',
      second,
      'random/test',
      text,
    ),
    fact('accept-anything', 'stays base64 where anything is accepted', second, '*/*', text),
    fact(
      'accept-second',
      'stays base64 where its type is accepted second',
      second,
      'image/webp,image/png,*/*;q=0.8',
      text,
    ),
    fact(
      'accept-first',
      'is decoded where its type is accepted first',
      second,
      'image/png,image/*,*/*;q=0.8',
      decoded,
    ),
    fact(
      'not-marked',
      'stays as it is where the function does not mark it',
      second,
      'image/png',
      text,
      {
        ...imageResult('image/png'),
        isBase64Encoded: false,
      },
    ),
  ],
};

const third = '/test3/test';
const test = imageResult('application/test');
const withWildcard: Recording = {
  source,
  endpoint: 'EDGE',
  api: { stage: 'test3', methods, binaryMediaTypes: ['image/png', 'application/*', 'image/jpg'] },
  facts: [
    fact(
      'right-wildcard',
      'is decoded for any subtype of application/*',
      third,
      'application/whatever',
      decoded,
      test,
    ),
    fact(
      'right-wildcard-same',
      'is decoded for its own subtype of application/*',
      third,
      'application/test',
      decoded,
      test,
    ),
    fact(
      'right-wildcard-itself',
      'is decoded for application/* itself',
      third,
      'application/*',
      decoded,
      test,
    ),
    fact(
      'accept-decides',
      'is decoded for a binary type that is not its own',
      third,
      'image/jpg',
      decoded,
    ),
    fact(
      'content-type-other',
      'is decoded whatever other binary type it has',
      third,
      'image/png',
      decoded,
      imageResult('application/whatever'),
    ),
    fact(
      'no-content-type',
      'is decoded without a content type',
      third,
      'image/png',
      decoded,
      imageResult(),
    ),
    fact(
      'accept-malformed',
      'stays base64 where what is accepted is no type',
      third,
      'application',
      text,
      imageResult(),
    ),
    fact(
      'accept-default',
      'stays base64 for the */* that a client sends by default',
      third,
      '*/*',
      text,
      imageResult(),
    ),
    fact(
      'not-base64',
      'is answered 500 when it is no base64',
      third,
      'image/png',
      { status: 500 },
      {
        ...imageResult(),
        body: 'èé+à)(',
      },
    ),
  ],
};

const everythingBinary: Recording = {
  source: dotnet(
    'ToHttpResponse_RestAPIGatewayV1DecodesBase64',
    'ApiGatewayResponseExtensionsAdditionalTests.ToHttpResponse_RestAPIGatewayV1DecodesBase64',
  ),
  endpoint: 'REGIONAL',
  api: {
    stage: 'test',
    methods: { 'POST /binary': { function: 'returnBody' } },
    binaryMediaTypes: ['*/*'],
  },
  facts: [
    {
      id: 'binary-body/everything',
      title: 'is decoded without an Accept header where everything is binary',
      request: {
        path: '/test/binary',
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        functionReturns: { statusCode: 200, body: 'dGVzdA==', isBase64Encoded: true },
      },
      answer: {
        status: 200,
        headers: { 'Content-Type': 'application/json', 'Content-Length': '4' },
        body: 'test',
      },
    },
  ],
};

const binaryRequest: Recording = {
  source: dotnet('BinaryContentRest', 'HttpContextExtensionsTests.BinaryContentRest'),
  endpoint: 'REGIONAL',
  api: {
    stage: 'test',
    methods: { 'POST /test4/api/users/{userId}/avatar': { function: 'echo' } },
    binaryMediaTypes: ['*/*'],
  },
  facts: [
    {
      id: 'binary-body/request',
      title: 'of a request arrives in base64 where everything is binary',
      request: {
        method: 'POST',
        path: '/test/test4/api/users/123/avatar',
        headers: { 'Content-Type': 'application/octet-stream' },
        bodyBase64: 'AQIDBAU=',
      },
      received: { body: 'AQIDBAU=', isBase64Encoded: true, pathParameters: { userId: '123' } },
    },
  ],
};

const acceptedImage: Recording = {
  source: sam('test_api_settings', 'test_binary_media_types_with_definition_body_openapi'),
  endpoint: 'REGIONAL',
  api: {
    stage: 'Prod',
    methods: { 'GET /none': { function: { '/none': imageResult('image/png') } } },
    binaryMediaTypes: ['image/jpg', 'image/gif', 'image/png', 'application/octet-stream'],
  },
  facts: [
    {
      id: 'binary-body/sam-image',
      title: 'of an image is decoded where it is accepted',
      request: { path: '/Prod/none', headers: { Accept: 'image/png' } },
      answer: decoded,
    },
  ],
};

export const binaryBodies: readonly Recording[] = [
  withoutTypes,
  withTypes,
  withWildcard,
  everythingBinary,
  binaryRequest,
  acceptedImage,
];
