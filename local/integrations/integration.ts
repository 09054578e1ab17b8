import { randomUUID } from 'node:crypto';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { MappingSource } from '../exchange/mapping-expressions.ts';
import type { Invocation, InvocationResult } from '../functions/execution-environment.ts';
import type { LambdaFunction } from '../functions/lambda-functions.ts';
import { liftedTimeoutMs } from '../template/time-limits.ts';
import { answerMock, type MockIntegration } from './mock-integration.ts';
import { createProxyEvent } from './proxy-event.ts';
import type { ProxyIntegration } from './proxy-integration.ts';
import { malformed, parseProxyResult } from './proxy-result.ts';
import { parseStreamedResult, type StreamedAnswer } from './streamed-result.ts';
import { type TraceHeader, traceHeaderName, traceHeaderOf } from './trace-header.ts';

/** A request that has passed all other steps, with what its integration needs to answer it. */
interface IntegrationRequest extends MappingSource {
  readonly binaryMediaTypes: readonly string[];
  /** @param signal cancels an invocation that has not begun */
  invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult>;
}

// API Gateway's idle timeout for the streams of regional endpoints.
const streamIdleTimeoutMs = 300_000;

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
  if (integration.type === 'MOCK') return answerMock(integration, request);
  const trace = traceHeaderOf(request.request);
  const answer = await answerProxy(integration, request, trace);
  return { ...answer, headers: [[traceHeaderName, trace.answered], ...answer.headers] };
}

async function answerProxy(
  integration: ProxyIntegration,
  request: IntegrationRequest,
  trace: TraceHeader,
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
    const accept = request.request.headers.get('accept')?.values.join(',');
    return parseProxyResult(result.payload, accept, request.binaryMediaTypes);
  }
  if ('stream' in result && integration.target.isStreaming) {
    const parsed = parseStreamedResult(result.stream);
    const answer = await within(deadlineMs - performance.now(), parsed, () => {
      result.stream.destroy();
    });
    return timeLimited(answer, deadlineMs, idleTimeoutMs(integration));
  }
  if ('stream' in result) result.stream.destroy();
  throw malformed('either the function streams or the integration does, but not both');
}

function invokeProxy(
  { target }: ProxyIntegration,
  request: IntegrationRequest,
  trace: TraceHeader,
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

/** The idle timeout of the stream. It is lifted together with the other time limits. */
function idleTimeoutMs({ timeoutMs }: ProxyIntegration): number {
  return timeoutMs === liftedTimeoutMs ? liftedTimeoutMs : streamIdleTimeoutMs;
}

/** Destroys the stream of an answer after the total or the idle time limit. */
function timeLimited(
  answer: StreamedAnswer,
  deadlineMs: number,
  idleTimeoutMs: number,
): StreamedAnswer {
  const { body } = answer;
  const destroy = (subject: string) => body.destroy(new Error(`${subject} took too long`));
  const total = setTimeout(() => destroy('the stream'), deadlineMs - performance.now());
  let lastAt = performance.now();
  const idle = setInterval(() => {
    if (performance.now() - lastAt > idleTimeoutMs) destroy('the next part of the stream');
  }, idleTimeoutMs / 10);
  body.on('data', () => {
    lastAt = performance.now();
  });
  body.pause();
  body.once('close', () => {
    clearTimeout(total);
    clearInterval(idle);
  });
  return answer;
}
