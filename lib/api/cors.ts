import { AuthorizationType, type IResource, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { corsHeaders } from '../../lambdas/shared/cors.ts';
import type { StageConfiguration } from '../settings/stages.ts';
import { everyContentType, mockAnswer } from './fixed-answer.ts';
import { rateLimitMappings } from './gateway-responses.ts';

/** The maximum for which Chromium caches the response to a preflight request. */
const maxAgeSeconds = 7_200;

const allowedHeaders = ['Authorization', 'Content-Type'];

/** The stage's CORS headers as mapping expressions; empty if the stage allows no origin. */
export function corsMappings({ corsOrigins = [] }: StageConfiguration): Record<string, string> {
  return staticMappings(corsHeaders(corsOrigins[0]));
}

/**
 * Adds an `OPTIONS` method that answers preflight requests to every resource with an operation, if
 * the stage allows an origin. Browsers send preflight requests without a key, so these methods have
 * no authorizer and do not count against a limit. `OPTIONS` takes precedence over `ANY`.
 *
 * It must be called after all operations have been added.
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
