import { inspect } from 'node:util';
import type { FunctionOf } from '../lambda/functions.ts';
import type { ControlPlane } from '../management/control-plane.ts';
import { accountId, region, type Template } from '../template.ts';
import { GatewayFault, readGatewayResponses } from './gateway-responses.ts';
import { type IncomingRequest, pathBelowStage } from './incoming-request.ts';
import {
  createRequestContext,
  type GatewayAnswer,
  type RequestContext,
} from './request-context.ts';
import { readRoutes } from './routes.ts';

/** Answers a request to a REST API. Never rejects, because every error becomes an answer. */
export type Gateway = (request: IncomingRequest) => Promise<GatewayAnswer>;

/**
 * Reads the REST API of a template. If a step of API Gateway stops a request, it throws a `GatewayFault`, which is
 * answered with a gateway response.
 *
 * @param meter counts a request of an API key, and returns the key; undefined if the gateway must refuse the request
 * @throws TemplateError if a part of the template is not supported
 */
export function readGateway(
  template: Template,
  functionOf: FunctionOf,
  meter: ControlPlane['meter'],
  log: (source: string, line: string) => void,
): Gateway {
  const [restApi] = template.ofType('AWS::ApiGateway::RestApi');
  const [stage] = template.ofType('AWS::ApiGateway::Stage');
  const deploymentId = stage!.property('DeploymentId');
  const api = { apiId: restApi!.ref, stage: stage!.ref, deploymentId };
  const findRoute = readRoutes(template, functionOf);
  const renderFault = readGatewayResponses(template);

  return async (request) => {
    const context: RequestContext = createRequestContext(request, api);
    const answer = await answerRoute(request, context).catch((error: unknown) => {
      const fault = error instanceof GatewayFault ? error : new GatewayFault('DEFAULT_5XX', error);
      const { type, cause } = fault;
      if (cause) log('gateway', `${context.requestId} ${type}: ${inspect(cause)}`);
      return renderFault(fault, context);
    });
    const headers: [string, string][] = [
      ['x-amzn-RequestId', context.requestId],
      ['x-amz-apigw-id', context.extendedRequestId],
      ...answer.headers,
    ];
    return { ...answer, headers };
  };

  async function answerRoute(
    request: IncomingRequest,
    context: RequestContext,
  ): Promise<GatewayAnswer> {
    const path = pathBelowStage(request.path, api.stage);
    if (path === undefined) throw new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    const found = findRoute(request.method, path);
    if (!found) {
      const isSigned = request.headers.has('authorization');
      throw new GatewayFault(isSigned ? 'DEFAULT_4XX' : 'MISSING_AUTHENTICATION_TOKEN');
    }
    const { route, pathParameters } = found;
    Object.assign(context, { resourceId: route.resourceId, resourcePath: route.path });
    let usageKey: string | undefined;
    if (route.authorizer) {
      const authorization = await route.authorizer(request, methodArn(request, api.apiId));
      // The context is also set for a denied request, because the gateway response can refer to it.
      context.authorizer = authorization.context;
      if (!authorization.isAllowed) throw new GatewayFault('ACCESS_DENIED');
      usageKey = authorization.usageIdentifierKey;
    }
    if (route.isApiKeyRequired) {
      const key = meter(usageKey);
      if (!key) throw new GatewayFault('INVALID_API_KEY');
      Object.assign(context.identity, { apiKey: key.value, apiKeyId: key.id });
    }
    return route.integration(request, context, pathParameters);
  }
}

/** The ARN of a method, such as `arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/GET/orders`. */
function methodArn({ method, path }: IncomingRequest, apiId: string): string {
  const [, stage, ...rest] = path.split('/');
  return `arn:aws:execute-api:${region}:${accountId}:${apiId}/${[stage, method, ...rest].join('/')}`;
}
