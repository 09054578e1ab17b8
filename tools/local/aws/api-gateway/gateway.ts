import type { TargetOf } from '../lambda/functions.ts';
import type { ControlPlane } from '../management/control-plane.ts';
import type { Template } from '../template/template.ts';
import { type ApiMethod, readMethod, readRestApi, readStage } from './api-definition.ts';
import { readAuthorizers } from './authorizer.ts';
import { GatewayFault } from './gateway-fault.ts';
import {
  type GatewayResponses,
  readGatewayResponses,
  renderGatewayResponse,
} from './gateway-responses.ts';
import { type IncomingRequest, pathBelowStage } from './incoming-request.ts';
import {
  type ApiStage,
  createRequestContext,
  type Exchange,
  type GatewayAnswer,
  type RequestContext,
} from './request-context.ts';
import { type FindRoute, readRoutes } from './routes.ts';

interface GatewayServices {
  readonly targetOf: TargetOf;
  readonly controlPlane: ControlPlane;
  /** Logs a fault that the gateway answers with a gateway response. */
  readonly logFault: (fault: GatewayFault, requestId: string) => void;
}

/**
 * The REST API of a template. If a step of API Gateway stops a request, it throws a `GatewayFault`, which is answered
 * with a gateway response.
 */
export class Gateway {
  readonly api: ApiStage;
  readonly #services: GatewayServices;
  readonly #findRoute: FindRoute;
  readonly #responses: GatewayResponses;

  /** @throws TemplateError if a part of the template is not supported */
  constructor(template: Template, services: GatewayServices) {
    const restApi = readRestApi(template);
    const { targetOf } = services;
    const authorizers = readAuthorizers(template, targetOf);
    this.api = readStage(template, restApi);
    this.#services = services;
    this.#findRoute = readRoutes(template, restApi, (method) =>
      readMethod(method, targetOf, authorizers),
    );
    this.#responses = readGatewayResponses(template);
  }

  /** Never rejects, because every error becomes an answer. */
  async answer(request: IncomingRequest): Promise<GatewayAnswer> {
    const context = createRequestContext(request, this.api);
    const exchange: Exchange = { request, context, pathParameters: {} };
    try {
      const method = this.#route(exchange);
      const usageKey = await this.#authorize(method, exchange);
      this.#meter(method, usageKey, exchange);
      return completed(await method.integration(exchange), context);
    } catch (error) {
      return this.answerFault(error, request, context);
    }
  }

  /** Answers a request that a step has stopped, or whose body was refused, or whose handler has failed. */
  answerFault(
    error: unknown,
    request: IncomingRequest,
    context: RequestContext = createRequestContext(request, this.api),
  ): GatewayAnswer {
    const isFault = error instanceof GatewayFault;
    const fault = isFault ? error : new GatewayFault('DEFAULT_5XX', { cause: error });
    this.#services.logFault(fault, context.requestId);
    return completed(renderGatewayResponse(fault, this.#responses, context), context);
  }

  #route(exchange: Exchange): ApiMethod {
    const { request, context } = exchange;
    const path = pathBelowStage(request.path, this.api.stage);
    if (path === undefined) throw new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    const route = this.#findRoute(request.method, path);
    if (!route) throw unroutedFault(request);
    const { method, pathParameters, ...resource } = route;
    Object.assign(context, resource, { operationName: method.operationName });
    exchange.pathParameters = pathParameters;
    return method;
  }

  /** Asks the authorizer. Returns the API key for which the request is counted, if the authorizer returns one. */
  async #authorize(
    { authorizer }: ApiMethod,
    { request, context }: Exchange,
  ): Promise<string | undefined> {
    if (!authorizer) return undefined;
    const authorization = await authorizer(request, this.#methodArn(request));
    // Set for a denied request, too, because the gateway response can refer to the context.
    context.authorizer = authorization.context;
    if (!authorization.isAllowed) throw new GatewayFault('ACCESS_DENIED');
    return authorization.usageIdentifierKey;
  }

  /** The ARN of a method, such as `arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/GET/orders`. */
  #methodArn({ method, path }: IncomingRequest): string {
    const { accountId, region, apiId } = this.api;
    const [, stage, ...rest] = path.split('/');
    return `arn:aws:execute-api:${region}:${accountId}:${apiId}/${[stage, method, ...rest].join('/')}`;
  }

  /** Counts the request for its API key. */
  #meter(method: ApiMethod, usageKey: string | undefined, { context }: Exchange): void {
    if (!method.isApiKeyRequired) return;
    const key = this.#services.controlPlane.meter(usageKey);
    context.identity.apiKey = key.value;
    context.identity.apiKeyId = key.id;
  }
}

/** Adds the request's ids, and the authorizer's context, which is not sent to the client. */
function completed(answer: GatewayAnswer, context: RequestContext): GatewayAnswer {
  const headers: [string, string][] = [
    ['x-amzn-RequestId', context.requestId],
    ['x-amz-apigw-id', context.extendedRequestId],
    ...answer.headers,
  ];
  return { ...answer, headers, authorizer: context.authorizer };
}

/**
 * The fault for a request to a path or method that does not exist. For such a request, API Gateway takes an
 * `Authorization` header for a signature (Signature Version 4). It does not document the response type of this error.
 */
function unroutedFault({ headers }: IncomingRequest): GatewayFault {
  if (!headers.has('authorization')) return new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
  return new GatewayFault('DEFAULT_4XX', { status: 403, errorType: 'IncompleteSignature' });
}
