import { containing, type Fact, type FactAnswer, type Recording, type Thread } from '../fact.ts';

/**
 * A path or a method that does not exist is answered as one that asks for a signature: what comes in
 * `Authorization` is read as one. Older threads show the header's value in the message, newer public
 * recordings a SHA-256 hash of it in base64: only what both have is expected here.
 */
function shown(
  name: string,
  title: string,
  source: Thread,
  authorization: string,
  answer: FactAnswer,
): Recording {
  const fact: Fact = {
    id: `unrouted/${name}`,
    title,
    request: { path: '/dev/nothing', headers: { Authorization: authorization } },
    answer,
  };
  const mock = { requestTemplate: '{"statusCode": 200}' };
  const api = { stage: 'dev', methods: { 'GET /existing': { mock } } };
  return { source, endpoint: 'EDGE', api, facts: [fact] };
}

const noPairs = (message: string): FactAnswer => ({
  status: 403,
  json: { message: containing(message) },
});
const missingEqualSign = noPairs('(missing equal-sign) in Authorization header');
const missingParameters = noPairs(
  "Authorization header requires 'Credential' parameter. " +
    "Authorization header requires 'Signature' parameter. " +
    "Authorization header requires 'SignedHeaders' parameter. " +
    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
);

export const unroutedRequests: readonly Recording[] = [
  shown(
    'bearer',
    'a bearer token is read as a signature without an equal sign',
    { repository: 'serverless/serverless', thread: 'issues/3205' },
    'Bearer sometoken',
    missingEqualSign,
  ),
  shown(
    'bearer-type',
    'such an answer is an IncompleteSignatureException',
    { repository: 'amazon-archives/aws-cognito-angular-quickstart', thread: 'issues/50' },
    'Bearer sometoken',
    { status: 403, headers: { 'x-amzn-ErrorType': 'IncompleteSignatureException' } },
  ),
  shown(
    'basic',
    'basic credentials without padding are read in the same way',
    { repository: 'AstronomyAPI/Samples', thread: 'issues/20' },
    'Basic ZDQ3NTk',
    missingEqualSign,
  ),
  shown(
    'basic-padded',
    'padding is an equal sign: then the parts of a signature are missing',
    { repository: 'svdgraaf/serverless-basic-authentication', thread: 'issues/3' },
    'Basic a2V5OnZhbHVl=',
    missingParameters,
  ),
  shown(
    'no-scheme',
    'a token without a scheme is read as a scheme without parts',
    { repository: 'aws/chalice', thread: 'issues/828' },
    'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9',
    missingParameters,
  ),
];
