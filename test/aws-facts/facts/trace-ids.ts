import { absent, containing, type Fact, lacking, present, type Recording } from '../fact.ts';
import { localstack } from '../sources.ts';

const root = 'Root=1-3152b799-8954dae64eda91bc9a23a7e8';
const parent = 'Parent=7fa8c0f79203be72';
const whole = `${root};${parent};Sampled=1`;

/** Facts about the answer's header alone. */
function fact(
  name: string,
  title: string,
  path: string,
  sent: string | undefined,
  header: object,
): Fact {
  return {
    id: `trace-id/${name}`,
    title,
    request: { path, headers: sent ? { 'x-amzn-trace-id': sent } : {} },
    answer: { status: 200, headers: { 'X-Amzn-Trace-Id': header as Record<string, string> } },
  };
}

export const traceIds: Recording = {
  source: localstack('test_apigateway_common', 'TestApiGatewayCommon::test_invocation_trace_id'),
  endpoint: 'EDGE',
  api: {
    stage: 'dev',
    methods: {
      'GET /path': {
        mock: { requestTemplate: '{"statusCode": 200}', responseTemplate: '{"statusCode": 200}' },
      },
      'ANY /{proxy+}': { function: 'echo' },
    },
  },
  facts: [
    fact('mock', 'a MOCK answer has none', '/dev/path', undefined, absent),
    fact(
      'mock-sent',
      'a MOCK answer has none even where the client sent one',
      '/dev/path',
      whole,
      absent,
    ),
    fact('proxy', 'a proxy answer has one', '/dev/proxy-value', undefined, present),
    fact(
      'sent',
      "a proxy answer has the client's whole one",
      '/dev/proxy-value',
      whole,
      containing(whole),
    ),
    fact(
      'parent',
      "a proxy answer keeps the client's parent",
      '/dev/proxy-value',
      whole,
      containing(`;${parent};`),
    ),
    fact(
      'root-only',
      "a proxy answer keeps the client's root",
      '/dev/proxy-value',
      root,
      containing(root),
    ),
    fact(
      'parent-added',
      'a proxy answer adds a parent where the client sent a root alone',
      '/dev/proxy-value',
      root,
      containing(';Parent='),
    ),
    fact(
      'parent-new',
      'the parent that is added is a new one',
      '/dev/proxy-value',
      root,
      lacking(parent),
    ),
    {
      id: 'trace-id/mock-identified',
      title: 'a MOCK answer has the other headers that identify its request',
      request: { path: '/dev/path' },
      answer: {
        status: 200,
        headers: {
          'Content-Type': 'application/json',
          'x-amz-apigw-id': present,
          'x-amzn-requestid': present,
        },
      },
    },
  ],
};
