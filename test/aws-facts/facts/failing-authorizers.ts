import type { Fact, FactAnswer, FactAuthorizer, Recording, Thread } from '../fact.ts';

function shown(
  name: string,
  title: string,
  source: Thread,
  authorizer: Partial<FactAuthorizer>,
  answer: FactAnswer,
): Recording {
  const fact: Fact = {
    id: `failing-authorizer/${name}`,
    title,
    request: { path: '/dev/private', headers: { Authorization: 'Bearer token' } },
    answer,
  };
  return {
    source,
    endpoint: 'EDGE',
    api: {
      stage: 'dev',
      authorizer: { header: 'Authorization', ...authorizer },
      methods: { 'GET /private': { function: 'echo', hasAuthorizer: true } },
    },
    facts: [fact],
  };
}

const pullRequest = {
  repository: 'auth0-samples/jwt-rsa-aws-custom-authorizer',
  thread: 'pull/6',
} as const;

export const failingAuthorizers: readonly Recording[] = [
  shown(
    'error',
    'an authorizer that fails is answered 500 with a message that is null',
    pullRequest,
    { failsWith: 'jwt expired' },
    { status: 500, json: { message: null } },
  ),
  shown(
    'unauthorized',
    'an authorizer that fails with Unauthorized is answered 401',
    pullRequest,
    { failsWith: 'Unauthorized' },
    { status: 401, json: { message: 'Unauthorized' } },
  ),
  shown(
    'no-policy',
    'an authorizer that returns no policy is a configuration error',
    { repository: 'serverless/examples', thread: 'issues/305' },
    { returns: { statusCode: 401, headers: {}, body: 'Unauthorized' } },
    { status: 500, headers: { 'x-amzn-ErrorType': 'AuthorizerConfigurationException' } },
  ),
];
