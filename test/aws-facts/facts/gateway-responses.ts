import { absent, type Expected, type GatewayResponseFact } from '../fact.ts';
import { localstack } from '../sources.ts';

const test = 'TestApiGatewayGatewayResponse::';
const listed = localstack('test_apigateway_api', `${test}test_gateway_response_crud`);
const inherited = localstack('test_apigateway_api', `${test}test_gateway_response_put`);

/** What each type answers where an API defines nothing. */
const statuses: Readonly<Record<string, number>> = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 500,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_BODY: 400,
  BAD_REQUEST_PARAMETERS: 400,
  EXPIRED_TOKEN: 403,
  INTEGRATION_FAILURE: 504,
  INTEGRATION_TIMEOUT: 504,
  INVALID_API_KEY: 403,
  INVALID_SIGNATURE: 403,
  QUOTA_EXCEEDED: 429,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
};

const defaults = Object.entries(statuses).map(
  ([type, status]): GatewayResponseFact => ({
    id: `gateway-response/default-${type}`,
    title: `${type} is ${status} where nothing is defined`,
    source: listed,
    defined: {},
    type,
    status,
  }),
);

const accept = 'method.request.header.Accept';
const template = [
  '{',
  '     "message": $context.error.messageString,',
  '     "type":  "$context.error.responseType",',
  '     "stage":  "$context.stage",',
  '     "resourcePath":  "$context.resourcePath",',
  '     "stageVariables.a":  "$stageVariables.a",',
  '     "statusCode": "\'404\'"',
  '}',
].join('\n');
const own = { ResponseTemplates: { 'application/json': template } };
const ownParameters = { 'gatewayresponse.header.x-request-header': accept };
const default5xx = { ...own, StatusCode: '599', ResponseParameters: ownParameters };
const ownBody = { $is: 'containing', text: '"statusCode": "\'404\'"' } as const;
const defaultBody = { $is: 'lacking', text: 'statusCode' } as const;

const serverErrors = [
  'API_CONFIGURATION_ERROR',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
];

const inherits5xx = serverErrors.map(
  (type): GatewayResponseFact => ({
    id: `gateway-response/inherits-${type}`,
    title: `${type} has status, header and body of DEFAULT_5XX where it is not defined itself`,
    source: inherited,
    defined: { DEFAULT_5XX: default5xx },
    type,
    status: 599,
    headers: { 'x-request-header': 'text/plain' },
    body: ownBody,
  }),
);

function fact(
  name: string,
  title: string,
  defined: Readonly<Record<string, object>>,
  type: string,
  status: number,
  rest: { headers?: Readonly<Record<string, Expected>>; body?: Expected } = {},
): GatewayResponseFact {
  return {
    id: `gateway-response/${name}`,
    title,
    source: inherited,
    defined,
    type,
    status,
    ...rest,
  };
}

const definedOnes: readonly GatewayResponseFact[] = [
  fact(
    'own-parameters',
    'a type that is defined takes no status from the default of its class',
    {
      DEFAULT_5XX: default5xx,
      AUTHORIZER_FAILURE: { ResponseParameters: { 'gatewayresponse.header.foo': "'bar'" } },
    },
    'AUTHORIZER_FAILURE',
    500,
    { headers: { foo: 'bar' } },
  ),
  fact(
    'own-parameters-no-header',
    'nor a header',
    {
      DEFAULT_5XX: default5xx,
      AUTHORIZER_FAILURE: { ResponseParameters: { 'gatewayresponse.header.foo': "'bar'" } },
    },
    'AUTHORIZER_FAILURE',
    500,
    { headers: { 'x-request-header': absent } },
  ),
  fact(
    'own-parameters-body',
    'nor a body: it has that of an API that defines nothing',
    {
      DEFAULT_5XX: default5xx,
      AUTHORIZER_FAILURE: { ResponseParameters: { 'gatewayresponse.header.foo': "'bar'" } },
    },
    'AUTHORIZER_FAILURE',
    500,
    { body: defaultBody },
  ),
  fact(
    'other-class',
    'DEFAULT_5XX has no effect on a type below 500',
    { DEFAULT_5XX: default5xx },
    'UNAUTHORIZED',
    401,
    { headers: { 'x-request-header': absent }, body: defaultBody },
  ),
  fact(
    'template-only',
    'a type that defines a body alone keeps its own status',
    { MISSING_AUTHENTICATION_TOKEN: own },
    'MISSING_AUTHENTICATION_TOKEN',
    403,
    { body: ownBody },
  ),
  fact(
    'status-only',
    'a type that defines a status alone has the default body',
    { MISSING_AUTHENTICATION_TOKEN: { StatusCode: '404' } },
    'MISSING_AUTHENTICATION_TOKEN',
    404,
    { body: defaultBody },
  ),
  fact(
    'parameters-only',
    'a type that defines a header alone keeps its own status and has the default body',
    { MISSING_AUTHENTICATION_TOKEN: { ResponseParameters: ownParameters } },
    'MISSING_AUTHENTICATION_TOKEN',
    403,
    { headers: { 'x-request-header': 'text/plain' }, body: defaultBody },
  ),
  {
    ...fact(
      'complete',
      'a type that defines everything has all of it',
      {
        MISSING_AUTHENTICATION_TOKEN: {
          ...own,
          StatusCode: '404',
          ResponseParameters: {
            ...ownParameters,
            'gatewayresponse.header.Access-Control-Allow-Origin': "'a.b.c'",
            'gatewayresponse.header.x-request-path': 'method.request.path.petId',
            'gatewayresponse.header.x-request-query': 'method.request.querystring.q',
          },
        },
      },
      'MISSING_AUTHENTICATION_TOKEN',
      404,
      {
        headers: { 'access-control-allow-origin': 'a.b.c', 'x-request-header': 'text/plain' },
        body: ownBody,
      },
    ),
    source: listed,
  },
];

export const gatewayResponses: readonly GatewayResponseFact[] = [
  ...defaults,
  ...inherits5xx,
  ...definedOnes,
];
