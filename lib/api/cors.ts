import { AuthorizationType, type IResource, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { corsHeaders } from '../../lambdas/shared/cors.ts';
import type { StageConfiguration } from '../settings/stages.ts';
import { everyContentType, mockAnswer } from './fixed-answer.ts';
import { rateLimitMappings } from './gateway-responses.ts';

/** Chromium keeps a preflight's answer no longer than this. */
const maxAgeSeconds = 7_200;

const allowedHeaders = ['Authorization', 'Content-Type'];

/** The stage's CORS headers as API Gateway's mapping expressions; none where none are configured. */
export function corsMappings({ corsOrigins = [] }: StageConfiguration): Record<string, string> {
  return staticMappings(corsHeaders(corsOrigins[0]));
}

/**
 * Answers the preflights of every resource that has an operation, where the stage allows an origin:
 * by `OPTIONS`, which goes before `ANY`. A preflight carries no key (the browser sends it by itself,
 * without the request's headers), so it has no authorizer and counts against nobody's limit.
 *
 * Call it when all operations are there.
 */
export function addPreflights(restApi: RestApi, configuration: StageConfiguration): void {
  if (!configuration.corsOrigins?.length) return;
  for (const [resource, methods] of operationsByResource(restApi)) {
    addPreflight(resource, {
      ...rateLimitMappings('none'),
      ...corsMappings(configuration),
      ...staticMappings({
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': allowedHeaders.join(', '),
        'Access-Control-Max-Age': String(maxAgeSeconds),
      }),
    });
  }
}

function operationsByResource({ methods }: RestApi): Map<IResource, string[]> {
  const operations = new Map<IResource, string[]>();
  for (const { resource, httpMethod } of methods) {
    operations.set(resource, [...(operations.get(resource) ?? []), httpMethod]);
  }
  return operations;
}

function addPreflight(resource: IResource, headers: Readonly<Record<string, string>>): void {
  const { integration, methodResponses } = mockAnswer({ status: 204 }, headers, everyContentType);
  resource.addMethod('OPTIONS', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses,
  });
}

function staticMappings(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
