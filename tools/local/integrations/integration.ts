import { randomBytes, randomUUID } from 'node:crypto';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { Invocation, InvocationResult } from '../functions/execution-environment.ts';
import type {
  InvocationTarget,
  LambdaFunction,
  LambdaFunctions,
} from '../functions/lambda-functions.ts';
import { checkKnownProperties } from '../template/known-properties.ts';
import type { TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { answerMock, type MockIntegration } from './mock-integration.ts';
import { createProxyEvent } from './proxy-event.ts';
import { malformed, parseProxyResult } from './proxy-result.ts';
import { parseStreamedResult, type StreamedAnswer } from './streamed-result.ts';

/** An integration that invokes a function with the request. */
export interface ProxyIntegration {
  readonly type: 'AWS_PROXY';
  readonly target: InvocationTarget;
  /** The time limit for the result; for a stream, the time limit for all of it. */
  readonly timeoutMs: number;
}

/** A request that has passed all other steps, with what its integration needs to answer it. */
interface IntegrationRequest {
  readonly request: IncomingRequest;
  readonly context: RequestContext;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** @param signal cancels an invocation that has not begun */
  invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult>;
}

// API Gateway's default, which is also its maximum unless a quota increase allows more.
const defaultTimeoutMs = 29_000;

/**
 * Reads a method's Lambda proxy integration.
 *
 * @throws TemplateError for a setting that is not supported or would not work when deployed
 */
export function readProxyIntegration(
  { logicalId, property }: TemplateResource,
  functions: LambdaFunctions,
): ProxyIntegration {
  const integration = property('Integration');
  const known = 'IntegrationHttpMethod ResponseTransferMode TimeoutInMillis Type Uri';
  checkKnownProperties(logicalId, 'Integration', integration, known);
  if (integration.IntegrationHttpMethod !== 'POST') {
    throw new TemplateError(logicalId, 'a function is invoked by POST: IntegrationHttpMethod');
  }
  const target = functions.targetOf(integration.Uri, logicalId);
  const isStreaming = integration.ResponseTransferMode === 'STREAM';
  if (isStreaming !== target.isStreaming) {
    throw new TemplateError(logicalId, 'ResponseTransferMode and Uri disagree about streaming');
  }
  const timeoutMs = Number(integration.TimeoutInMillis ?? defaultTimeoutMs);
  return { type: 'AWS_PROXY', target, timeoutMs };
}

/**
 * Answers a request with a method's integration.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 when the function fails or its result
 *   is malformed; `INTEGRATION_TIMEOUT` when it takes too long
 */
export async function answerIntegration(
  integration: MockIntegration | ProxyIntegration,
  request: IntegrationRequest,
): Promise<GatewayAnswer> {
  const { request: sent, context } = request;
  if (integration.type === 'MOCK') return answerMock(integration, sent, context);
  const trace = sent.headers.get('x-amzn-trace-id')?.values.at(-1) ?? newTrace(sent.timeMs);
  const answer = await answerProxy(integration, request, trace);
  return { ...answer, headers: [['X-Amzn-Trace-Id', trace], ...answer.headers] };
}

async function answerProxy(
  integration: ProxyIntegration,
  request: IntegrationRequest,
  trace: string,
): Promise<GatewayAnswer> {
  const deadlineMs = performance.now() + integration.timeoutMs;
  const cancellation = new AbortController();
  const cancel = () => cancellation.abort();
  request.request.signal?.addEventListener('abort', cancel);
  if (request.request.signal?.aborted) cancel();
  const invoked = invokeProxy(integration, request, trace, cancellation.signal);
  const result = await within(integration.timeoutMs, invoked, () => {
    cancel();
    void discard(invoked);
  });
  if ('error' in result) throw failure(result.error);
  if ('payload' in result && !integration.target.isStreaming) {
    return parseProxyResult(result.payload);
  }
  if ('stream' in result && integration.target.isStreaming) {
    const parsed = parseStreamedResult(result.stream);
    const answer = await within(deadlineMs - performance.now(), parsed, () => {
      result.stream.destroy();
    });
    return timeLimited(answer, deadlineMs);
  }
  if ('stream' in result) result.stream.destroy();
  throw malformed('either the function streams or the integration does, but not both');
}

function invokeProxy(
  { target }: ProxyIntegration,
  request: IntegrationRequest,
  trace: string,
  signal: AbortSignal,
) {
  const invocation = {
    event: JSON.stringify(createProxyEvent(request.request, { ...request, trace })),
    requestId: randomUUID(),
    invokedArn: target.invokedArn,
  };
  return request.invoke(target.lambda, invocation, signal);
}

/** Discards a late result. A stream without a reader would keep its execution environment busy. */
async function discard(invoked: Promise<InvocationResult>): Promise<void> {
  const result = await invoked;
  if ('stream' in result) result.stream.destroy();
}

/**
 * The fault for an invocation's error. API Gateway answers Lambda's own refusals differently from
 * errors of the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
 */
function failure(error: { errorType: string }): GatewayFault {
  if (error.errorType === 'RequestEntityTooLargeException') {
    return new GatewayFault('REQUEST_TOO_LARGE', { cause: error });
  }
  if (error.errorType === 'TooManyRequestsException') {
    return new GatewayFault('INTEGRATION_FAILURE', { status: 500, cause: error });
  }
  return malformed(error);
}

async function within<T>(timeoutMs: number, work: Promise<T>, onTimeout: () => void): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new GatewayFault('INTEGRATION_TIMEOUT'));
    onTimeout();
  }, timeoutMs);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Destroys the stream of an answer after the time limit. */
function timeLimited(answer: StreamedAnswer, deadlineMs: number): StreamedAnswer {
  const { body } = answer;
  const timer = setTimeout(
    () => body.destroy(new Error('the stream took too long')),
    deadlineMs - performance.now(),
  );
  body.once('close', () => clearTimeout(timer));
  return answer;
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
function newTrace(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}
