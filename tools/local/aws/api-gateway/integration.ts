import { randomBytes } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { TemplateError } from '../errors.ts';
import type { FunctionError, InvocationResult, TargetOf } from '../lambda/lambda-functions.ts';
import type { TemplateResource } from '../template/template.ts';
import { GatewayFault } from './gateway-fault.ts';
import { createProxyEvent } from './proxy-event.ts';
import { malformed, parseProxyResult, parseStreamedResult } from './proxy-result.ts';
import type { GatewayAnswer, Integration } from './request-context.ts';

// API Gateway's default, which is also its maximum unless a quota increase allows more.
const defaultTimeoutMs = 29_000;

/**
 * Reads a Lambda proxy integration. It throws `INTEGRATION_FAILURE` with status 502 if the function fails or its
 * result is malformed, and `INTEGRATION_TIMEOUT`.
 *
 * @throws TemplateError for a setting that would not work when deployed
 */
export function readProxyIntegration(
  { logicalId, property }: TemplateResource,
  targetOf: TargetOf,
): Integration {
  const integration = property('Integration');
  if (integration.IntegrationHttpMethod !== 'POST') {
    throw new TemplateError(logicalId, 'IntegrationHttpMethod must be POST');
  }
  const { invoke, isStreaming } = targetOf(integration.Uri, logicalId);
  if ((integration.ResponseTransferMode === 'STREAM') !== isStreaming) {
    throw new TemplateError(logicalId, 'ResponseTransferMode and Uri disagree about streaming');
  }
  const timeoutMs = Number(integration.TimeoutInMillis ?? defaultTimeoutMs);

  return async (exchange) => {
    const { request, context } = exchange;
    const trace = request.headers.get('x-amzn-trace-id')?.values.at(-1) ?? newTrace(request.timeMs);
    const event = createProxyEvent(exchange, trace);
    const answer = await withinTimeLimit(timeoutMs, async (timeLimit) => {
      const cancelled = AbortSignal.any([request.signal, timeLimit]);
      const result = await invoke(event, cancelled, context.identity.apiKeyId);
      return answerOf(result, isStreaming, timeLimit);
    });
    return { ...answer, headers: [['X-Amzn-Trace-Id', trace], ...answer.headers] };
  };
}

/** Answers within the integration's time limit, which for a stream ends with the stream. */
async function withinTimeLimit(
  timeoutMs: number,
  answerUntil: (timeLimit: AbortSignal) => Promise<GatewayAnswer>,
): Promise<GatewayAnswer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timeLimit = new AbortController();
  const timer = setTimeout(() => {
    reject(new GatewayFault('INTEGRATION_TIMEOUT'));
    timeLimit.abort();
  }, timeoutMs);
  try {
    const answer = await Promise.race([answerUntil(timeLimit.signal), timedOut]);
    if (Buffer.isBuffer(answer.body)) clearTimeout(timer);
    else answer.body.once('close', () => clearTimeout(timer));
    return answer;
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}

/** @param timeLimit ends a stream, even one that begins after it */
async function answerOf(
  result: InvocationResult,
  isStreaming: boolean,
  timeLimit: AbortSignal,
): Promise<GatewayAnswer> {
  if ('error' in result) throw failure(result.error);
  if ('stream' in result) {
    // A stream without a reader would keep its execution environment busy.
    addAbortSignal(timeLimit, result.stream);
    if (isStreaming) return parseStreamedResult(result.stream);
    result.stream.destroy();
  } else if (!isStreaming) return parseProxyResult(result.payload);
  throw malformed('the function streams and its integration does not, or the reverse');
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html */
function failure(error: FunctionError): GatewayFault {
  const isTooLarge = error.errorType === 'RequestEntityTooLargeException';
  return isTooLarge ? new GatewayFault('REQUEST_TOO_LARGE', { cause: error }) : malformed(error);
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
function newTrace(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}
