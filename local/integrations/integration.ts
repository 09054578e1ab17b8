import { randomUUID } from 'node:crypto';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';
import type { MappingSource } from '../exchange/mapping-expressions.ts';
import type { Invocation, InvocationResult } from '../functions/execution-environment.ts';
import type { LambdaFunction } from '../functions/lambda-functions.ts';
import { liftedTimeoutMs } from '../template/time-limits.ts';
import { answerMock, type MockIntegration, passesBodyThrough } from './mock-integration.ts';
import { createProxyEvent } from './proxy-event.ts';
import type { ProxyIntegration } from './proxy-integration.ts';
import { malformed, parseProxyResult } from './proxy-result.ts';
import { parseStreamedResult } from './streamed-result.ts';
import { type TraceHeader, traceHeaderName, traceHeaderOf } from './trace-header.ts';

/** An admitted request, and how to invoke functions for it. */
export interface IntegrationRequest extends MappingSource {
  readonly binaryMediaTypes: readonly string[];
  /** @param signal gives up what has not begun */
  invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult>;
}

// API Gateway breaks a stream that is silent for so long (regional endpoints).
const streamIdleTimeoutMs = 300_000;

/** Whether an integration makes anything of a request's body. */
export function readsBody(
  integration: MockIntegration | ProxyIntegration,
  request: IncomingRequest,
): boolean {
  return integration.type === 'AWS_PROXY' || passesBodyThrough(integration, request);
}

/**
 * Lets a method's integration answer a request.
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
  const givenUp = new AbortController();
  const giveUp = () => givenUp.abort();
  request.request.left?.addEventListener('abort', giveUp);
  if (request.request.left?.aborted) giveUp();
  const invoked = invokeProxy(integration, request, trace, givenUp.signal);
  const result = await within(integration.timeoutMs, invoked, () => {
    giveUp();
    void abandon(invoked);
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
  throw malformed('the function streams and the integration does not, or the reverse');
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

/** Nobody waits for the result any more: a stream that begins now must not wait for its reader. */
async function abandon(invoked: Promise<InvocationResult>): Promise<void> {
  const result = await invoked;
  if ('stream' in result) result.stream.destroy();
}

/**
 * What Lambda refuses to take, or could not run, differs from what a function threw.
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

/** Where the time limits are lifted, this one is too. */
function idleTimeoutMs({ timeoutMs }: ProxyIntegration): number {
  return timeoutMs === liftedTimeoutMs ? liftedTimeoutMs : streamIdleTimeoutMs;
}

/** Breaks a stream that takes too long as a whole, or is silent for too long. */
function timeLimited(
  answer: GatewayAnswer,
  deadlineMs: number,
  idleTimeoutMs: number,
): GatewayAnswer {
  const { body } = answer;
  if (Buffer.isBuffer(body)) return answer;
  const breakOff = (reason: string) => body.destroy(new Error(`${reason} took too long`));
  const total = setTimeout(() => breakOff('the stream'), deadlineMs - performance.now());
  let lastAt = performance.now();
  const idle = setInterval(() => {
    if (performance.now() - lastAt > idleTimeoutMs) breakOff('the next part of the stream');
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
