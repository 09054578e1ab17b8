import { randomUUID } from 'node:crypto';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import {
  type IncomingRequest,
  isWellEncoded,
  parseRequest,
  pathBelowStage,
  type RawRequest,
} from '../exchange/incoming-request.ts';
import type { MappingSource } from '../exchange/mapping-expressions.ts';
import { createRequestContext } from '../exchange/request-context.ts';
import type { Invocation, InvocationResult } from '../functions/execution-environment.ts';
import type { LambdaFunction, LambdaFunctions } from '../functions/lambda-functions.ts';
import { answerIntegration, readsBody } from '../integrations/integration.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { type ApiMethod, readMethods } from './api-methods.ts';
import { Authorizers, readAuthorizers } from './authorizer.ts';
import {
  type GatewayResponses,
  readGatewayResponses,
  renderGatewayResponse,
} from './gateway-responses.ts';
import { type ApiResource, matchRoute, type Route, readRoutes } from './routes.ts';
import { readStage, type Stage } from './stage.ts';
import { TokenBuckets } from './token-bucket.ts';
import { unroutedFault } from './unrouted-request.ts';
import type { UsageMeter } from './usage-plan.ts';

/** What a gateway needs besides its template. */
export interface GatewayServices {
  readonly functions: LambdaFunctions;
  readonly usage: UsageMeter;
  /** @param signal gives up what has not begun */
  invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes the cause of an answer that the gateway makes by itself because something failed. */
  readonly logFault: (fault: GatewayFault, requestId: string) => void;
}

/** What is known of a request while it passes the gateway's steps. */
interface Passage extends MappingSource {
  request: IncomingRequest;
  pathParameters: Readonly<Record<string, string>>;
}

/**
 * The REST API of a template: takes a request through the steps of API Gateway (route, authorizer,
 * usage plan, integration) and gives the answer. A step that stops the request throws a
 * `GatewayFault`, which becomes a gateway response.
 */
export class Gateway {
  readonly apiId: string;
  readonly stage: Stage;
  readonly #template: Template;
  readonly #services: GatewayServices;
  readonly #routes: ApiResource;
  readonly #methods: ReadonlyMap<string, ApiMethod>;
  readonly #authorizers: Authorizers;
  readonly #responses: GatewayResponses;
  readonly #stageThrottles: TokenBuckets;
  readonly #apiKeySource: 'HEADER' | 'AUTHORIZER';
  readonly #binaryMediaTypes: readonly string[];

  /** @throws TemplateError for what is not supported */
  constructor(template: Template, services: GatewayServices) {
    const restApi = onlyRestApi(template);
    const authorizers = readAuthorizers(template, services.functions);
    this.apiId = restApi.ref;
    this.stage = readStage(template);
    this.#template = template;
    this.#services = services;
    this.#routes = readRoutes(template, restApi);
    this.#methods = readMethods(template, services.functions, authorizers);
    this.#authorizers = new Authorizers(
      (target, event, left) => this.#invokeAuthorizer(target, event, left),
      services.now,
    );
    this.#responses = readGatewayResponses(template);
    this.#stageThrottles = new TokenBuckets(services.now);
    this.#apiKeySource = restApi.property('ApiKeySourceType') ?? 'HEADER';
    this.#binaryMediaTypes = restApi.property('BinaryMediaTypes') ?? [];
  }

  /** Answers a request; never rejects. */
  async answer(raw: RawRequest): Promise<GatewayAnswer> {
    const passage = this.#begin(raw);
    try {
      return this.#identified(await this.#pass(passage, raw), passage);
    } catch (error) {
      return this.#answerFault(asFault(error), passage);
    }
  }

  /** Answers a request that a server could not even read. */
  answerFault(fault: GatewayFault, raw: RawRequest): GatewayAnswer {
    return this.#answerFault(fault, this.#begin(raw));
  }

  #begin(raw: RawRequest): Passage {
    const request = parseRequest(raw);
    const { accountId, region } = this.#template.environment;
    const { name: stage, deploymentId, variables } = this.stage;
    const api = { accountId, region, apiId: this.apiId, stage, deploymentId };
    const context = createRequestContext(request, api);
    return { context, request, pathParameters: {}, stageVariables: variables };
  }

  async #pass(passage: Passage, { readBody }: RawRequest): Promise<GatewayAnswer> {
    const route = this.#route(passage);
    const method = this.#methods.get(route.method.logicalId)!;
    passage.context.operationName = method.operationName;
    const usageKey = await this.#authorize(method, passage);
    this.#meter(method, usageKey, passage);
    // Only now: of a client that may not ask, nothing is kept.
    if (readBody && readsBody(method.integration, passage.request)) {
      passage.request = { ...passage.request, body: await readBody() };
    }
    return answerIntegration(method.integration, {
      ...passage,
      binaryMediaTypes: this.#binaryMediaTypes,
      invoke: this.#services.invoke,
    });
  }

  #route(passage: Passage): Route {
    const { request, context } = passage;
    if (!isWellEncoded(request.path)) throw new GatewayFault('BAD_REQUEST_PARAMETERS');
    const path = pathBelowStage(request.path, this.stage.name);
    if (path === undefined) throw new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    const route = matchRoute(this.#routes, request.method, path);
    if (!route) throw unroutedFault(request);
    context.resourceId = route.resource.id;
    context.resourcePath = route.resource.path;
    passage.pathParameters = route.pathParameters;
    return route;
  }

  /** Gives the key that the request's usage is counted under. */
  async #authorize(
    { authorizer }: ApiMethod,
    { request, context }: Passage,
  ): Promise<string | undefined> {
    const headerKey = request.headers.get('x-api-key')?.values.at(-1);
    if (!authorizer) return this.#apiKeySource === 'HEADER' ? headerKey : undefined;
    const { usageIdentifierKey } = await this.#authorizers.authorize(
      authorizer,
      request,
      this.#methodArn(request),
      (authorization) => {
        context.authorizer = authorization.context;
      },
    );
    return this.#apiKeySource === 'HEADER' ? headerKey : usageIdentifierKey;
  }

  #methodArn({ method, path }: IncomingRequest): string {
    const { accountId, region } = this.#template.environment;
    return `arn:aws:execute-api:${region}:${accountId}:${this.apiId}${stageFirst(path, method)}`;
  }

  #meter(method: ApiMethod, usageKey: string | undefined, { context }: Passage): void {
    const resourcePath = context.resourcePath!;
    const { httpMethod } = context;
    if (method.isApiKeyRequired) {
      const used = { apiId: this.apiId, stage: this.stage.name, resourcePath, httpMethod };
      const key = this.#services.usage.admit(usageKey, used);
      context.identity.apiKey = key.value;
      context.identity.apiKeyId = key.id;
    }
    const throttle = this.stage.throttleOf(resourcePath, httpMethod);
    // Every method has its own bucket, also where its limits are the stage's defaults.
    this.#stageThrottles.take(`${resourcePath} ${httpMethod}`, throttle);
  }

  async #invokeAuthorizer(
    target: Parameters<Authorizers['authorize']>[0]['target'],
    event: object,
    left: AbortSignal | undefined,
  ) {
    const invocation = {
      event: JSON.stringify(event),
      requestId: randomUUID(),
      invokedArn: target.invokedArn,
    };
    const result = await this.#services.invoke(target.lambda, invocation, left);
    if ('error' in result) return { errorMessage: result.error.errorMessage };
    if ('payload' in result) return result;
    result.stream.destroy();
    return { errorMessage: 'an authorizer cannot stream' };
  }

  #answerFault(fault: GatewayFault, passage: Passage): GatewayAnswer {
    this.#services.logFault(fault, passage.context.requestId);
    return this.#identified(renderGatewayResponse(fault, this.#responses, passage), passage);
  }

  #identified(answer: GatewayAnswer, { context }: Passage): GatewayAnswer {
    const headers: [string, string][] = [
      ['x-amzn-RequestId', context.requestId],
      ['x-amz-apigw-id', context.extendedRequestId],
      ...answer.headers,
    ];
    return { ...answer, headers, authorizer: context.authorizer };
  }
}

function onlyRestApi(template: Template): TemplateResource {
  const [restApi, another] = template.ofType('AWS::ApiGateway::RestApi');
  if (!restApi) throw new TemplateError('template', 'there is no AWS::ApiGateway::RestApi');
  if (another) throw new TemplateError(another.logicalId, 'a second REST API is not supported');
  return restApi;
}

/** From `/prod/orders` and `GET` to `/prod/GET/orders`, as method ARNs have it. */
function stageFirst(path: string, method: string): string {
  const [, stage, ...rest] = path.split('/');
  return `/${[stage, method, ...rest].join('/')}`;
}

function asFault(error: unknown): GatewayFault {
  if (error instanceof GatewayFault) return error;
  return new GatewayFault('DEFAULT_5XX', { cause: error });
}
