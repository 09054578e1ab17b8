import { absent, type Expected, type Fact, type Recording } from '../fact.ts';
import { localstack, sam } from '../sources.ts';

const unquoted: Recording = {
  source: localstack('test_apigateway_integrations', 'test_integration_mock_with_path_param'),
  endpoint: 'EDGE',
  api: {
    stage: 'dev',
    methods: {
      'GET /{testPath}': {
        mock: {
          requestTemplate: '{statusCode: 200}',
          requestParameters: {
            'integration.request.path.integrationPath': 'method.request.path.testPath',
          },
          selectionPattern: '2\\d{2}',
        },
      },
    },
  },
  facts: [
    {
      id: 'mock/unquoted',
      title: 'the status may stand under a name without quotes',
      request: { path: '/dev/test-path' },
      answer: { status: 200, body: '' },
    },
  ],
};

const stageVariables: Recording = {
  source: localstack(
    'test_apigateway_canary',
    'TestCanaryDeployments::test_invoking_canary_deployment, response-deployment-1',
  ),
  endpoint: 'EDGE',
  api: {
    stage: 'dev',
    stageVariables: { testVar: 'default', defaultVar: 'default' },
    methods: {
      'GET /': {
        mock: {
          requestTemplate: '{"statusCode": 200}',
          responseTemplate: JSON.stringify({
            statusCode: 200,
            message: 'default deployment',
            variable: '$stageVariables.testVar',
            nonExistingDefault: '$stageVariables.noStageVar',
            nonOverridden: '$stageVariables.defaultVar',
            isCanary: '$context.isCanaryRequest',
          }),
        },
      },
    },
  },
  facts: [
    body('stage-variable', 'a stage variable stands in the body', {
      variable: 'default',
      nonOverridden: 'default',
    }),
    body('unknown-stage-variable', 'an unknown stage variable is nothing', {
      nonExistingDefault: '',
    }),
    body('text', 'what is no variable stays', { statusCode: 200, message: 'default deployment' }),
    body('canary', 'a request that a canary does not take says so', { isCanary: 'false' }),
  ],
};

function body(name: string, title: string, json: Expected): Fact {
  return { id: `mock/${name}`, title, request: { path: '/dev/' }, answer: { status: 200, json } };
}

interface Cors {
  readonly name: string;
  readonly test: string;
  /** The methods that `/apione` and `/apitwo` say they allow. */
  readonly methods: readonly [string, string];
  readonly origin: string;
  readonly allowHeaders?: string;
  readonly maxAge?: string;
  readonly isApiKeyRequired?: boolean;
}

const own = ['methods', 'methods'] as const;
const made = ['DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT', 'OPTIONS,POST'] as const;
const complete = { methods: own, origin: 'origins', allowHeaders: 'headers', maxAge: '600' };
const preflights: readonly Cors[] = [
  { name: 'complete', test: 'test_cors, api_with_cors', ...complete },
  { name: 'openapi', test: 'test_cors, api_with_cors_openapi', ...complete },
  {
    name: 'with-key',
    test: 'test_cors, api_with_cors_and_apikey',
    ...complete,
    isApiKeyRequired: true,
  },
  { name: 'origin', test: 'test_cors_with_shorthand_notation', methods: made, origin: 'origins' },
  { name: 'methods', test: 'test_cors_with_only_methods', methods: own, origin: '*' },
  {
    name: 'headers',
    test: 'test_cors_with_only_headers',
    methods: made,
    origin: '*',
    allowHeaders: 'headers',
  },
  {
    name: 'max-age',
    test: 'test_cors_with_only_max_age',
    methods: made,
    origin: '*',
    maxAge: '600',
  },
];

/** A preflight's method as the Serverless Application Model makes it. */
function corsMock({ methods, origin, allowHeaders, maxAge }: Cors, index: 0 | 1) {
  const headers = {
    ...(allowHeaders ? { 'Access-Control-Allow-Headers': allowHeaders } : {}),
    'Access-Control-Allow-Methods': methods[index],
    'Access-Control-Allow-Origin': origin,
    ...(maxAge ? { 'Access-Control-Max-Age': maxAge } : {}),
  };
  const requestTemplate = '{\n  "statusCode" : 200\n}\n';
  return { mock: { requestTemplate, headers, responseTemplate: '{}\n' } };
}

function corsRecording(cors: Cors): Recording {
  const { isApiKeyRequired } = cors;
  return {
    source: sam('test_api_with_cors', `TestApiWithCors::${cors.test}`),
    endpoint: 'REGIONAL',
    api: {
      stage: 'Prod',
      methods: {
        'ANY /apione': { function: 'echo', isApiKeyRequired },
        'OPTIONS /apione': corsMock(cors, 0),
        'POST /apitwo': { function: 'echo', isApiKeyRequired },
        'OPTIONS /apitwo': corsMock(cors, 1),
      },
    },
    facts: [preflight(cors, '/apione', 0), preflight(cors, '/apitwo', 1)],
  };
}

function preflight(cors: Cors, path: string, index: 0 | 1): Fact {
  return {
    id: `mock/preflight-${cors.name}${path}`,
    title: `a preflight of ${path} is answered by its mapped headers and no others: ${cors.name}`,
    request: { method: 'OPTIONS', path: `/Prod${path}` },
    answer: {
      status: 200,
      headers: {
        'Access-Control-Allow-Methods': cors.methods[index],
        'Access-Control-Allow-Origin': cors.origin,
        'Access-Control-Allow-Headers': cors.allowHeaders ?? absent,
        'Access-Control-Max-Age': cors.maxAge ?? absent,
      },
    },
  };
}

export const mockAnswers: readonly Recording[] = [
  unquoted,
  stageVariables,
  ...preflights.map(corsRecording),
];
