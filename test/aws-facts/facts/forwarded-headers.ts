import { absent, type Expected, exactly, type Fact, present, type Recording } from '../fact.ts';
import { localstack } from '../sources.ts';

/** The request's headers, with what became of each on its way to the function. */
const sent: readonly {
  readonly name: string;
  readonly value: string;
  readonly arrives: Expected;
}[] = [
  { name: 'Accept', value: 'application/json', arrives: 'application/json' },
  { name: 'Accept-Charset', value: 'UTF-8', arrives: 'UTF-8' },
  { name: 'Accept-Encoding', value: 'br', arrives: 'br' },
  { name: 'Age', value: 'request_Age', arrives: 'request_Age' },
  { name: 'Authorization', value: 'Unauthorized', arrives: 'Unauthorized' },
  { name: 'Connection', value: 'close', arrives: absent },
  { name: 'Content-Encoding', value: 'deflate', arrives: 'deflate' },
  { name: 'Content-MD5', value: 'request_Content-MD5', arrives: absent },
  { name: 'Content-Type', value: 'application/json', arrives: 'application/json' },
  { name: 'Date', value: 'request_Date', arrives: present },
  { name: 'Expect', value: '100-continue', arrives: absent },
  { name: 'Max-Forwards', value: '2', arrives: absent },
  { name: 'Pragma', value: 'cache', arrives: 'cache' },
  { name: 'Proxy-Authenticate', value: 'Basic', arrives: absent },
  { name: 'Range', value: 'bytes=500-999', arrives: 'bytes=500-999' },
  { name: 'Referer', value: 'https://example.com/', arrives: 'https://example.com/' },
  { name: 'Server', value: 'https://example.com/', arrives: absent },
  { name: 'TE', value: 'deflate', arrives: absent },
  { name: 'Trailer', value: 'Expires', arrives: absent },
  { name: 'Transfer-Encoding', value: 'chunked', arrives: absent },
  { name: 'Upgrade', value: 'HTTP/2.0', arrives: absent },
  { name: 'User-Agent', value: 'localStack/0.0', arrives: 'localStack/0.0' },
  { name: 'Via', value: 'p.example.net', arrives: present },
  { name: 'Warn', value: '299 localStack/0.0', arrives: '299 localStack/0.0' },
  { name: 'WWW-Authenticate', value: 'Basic YWxhZGRpbjpvcGVuc2VzYW1l', arrives: absent },
];

/** What API Gateway adds. */
const added = ['X-Amzn-Trace-Id', 'X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'];

const path = '/test/no-param';
const whole = Object.fromEntries(sent.map(({ name, value }) => [name, value]));
const arriving = sent.filter(({ arrives }) => arrives !== absent).map(({ name }) => name);

const singleHeaders = sent.map(
  ({ name, value, arrives }): Fact => ({
    id: `forwarded-headers/${name.toLowerCase()}`,
    title: `the request's ${name} ${arrives === absent ? 'does not reach' : 'reaches'} the function`,
    request: { path, headers: { [name]: value } },
    received: { headers: { [name]: arrives } },
  }),
);

const addedHeaders = added.map(
  (name): Fact => ({
    id: `forwarded-headers/adds-${name.toLowerCase()}`,
    title: `the function receives ${name}, which the client did not send`,
    request: { path },
    received: { headers: { [name]: present } },
  }),
);

export const forwardedHeaders: Recording = {
  source: localstack(
    'test_apigateway_integrations',
    'TestApiGatewayHeaderRemapping::test_apigateway_header_remapping_aws[AWS_PROXY], no-param-integration',
  ),
  endpoint: 'REGIONAL',
  api: { stage: 'test', methods: { 'GET /no-param': { function: 'echo' } } },
  facts: [
    ...singleHeaders,
    ...addedHeaders,
    {
      id: 'forwarded-headers/host',
      title: "the request's Host reaches the function",
      request: { path },
      received: { headers: { Host: present } },
    },
    {
      id: 'forwarded-headers/no-others',
      title: 'of a request with all these headers, these reach the function and no others',
      request: { path, headers: whole },
      received: {
        headers: exactly(
          Object.fromEntries([...arriving, ...added, 'Host'].map((name) => [name, present])),
        ),
      },
    },
    {
      id: 'forwarded-headers/no-body',
      title: 'the body of a request without one is null',
      request: { path },
      received: { body: null },
    },
    {
      id: 'forwarded-headers/answer',
      title: 'the answer carries what identifies the request, and is JSON by default',
      request: { path },
      answer: {
        status: 200,
        headers: {
          'Content-Type': 'application/json',
          'X-Amzn-Trace-Id': present,
          'x-amz-apigw-id': present,
          'x-amzn-RequestId': present,
        },
      },
    },
  ],
};
