import { randomBytes, randomUUID } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { TemplateError } from '../errors.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { Exchange, GatewayAnswer } from '../exchange/request-context.ts';
import type {
  FunctionError,
  Invocation,
  InvocationResult,
  InvocationTarget,
  Invoke,
  TargetOf,
} from '../functions/lambda-functions.ts';
import type { TemplateResource } from '../template/template.ts';
import { answerMock, type MockIntegration } from './mock-integration.ts';
import { createProxyEvent } from './proxy-event.ts';
import { malformed, parseProxyResult, parseStreamedResult } from './proxy-result.ts';

/** An integration that invokes a function with the request. */
export interface ProxyIntegration {
  readonly type: 'AWS_PROXY';
  readonly target: InvocationTarget;
  /** The time limit for the result, or for the whole stream. */
  readonly timeoutMs: number;
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
  targetOf: TargetOf,
): ProxyIntegration {
  const integration = property('Integration');
  if (integration.IntegrationHttpMethod !== 'POST') {
    throw new TemplateError(logicalId, 'IntegrationHttpMethod must be POST');
  }
  const target = targetOf(integration.Uri, logicalId);
  const isStreaming = integration.ResponseTransferMode === 'STREAM';
  if (isStreaming !== target.isStreaming) {
    throw new TemplateError(logicalId, 'ResponseTransferMode and Uri disagree about streaming');
  }
  const timeoutMs = Number(integration.TimeoutInMillis ?? defaultTimeoutMs);
  return { type: 'AWS_PROXY', target, timeoutMs };
}

/**
 * Answers a request, which has passed all other steps, with its method's integration.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 if the function fails or its result
 *   is malformed; `INTEGRATION_TIMEOUT` if it takes too long
 */
export async function answerIntegration(
  integration: MockIntegration | ProxyIntegration,
  exchange: Exchange,
  invoke: Invoke,
): Promise<GatewayAnswer> {
  const { request, context } = exchange;
  if (integration.type === 'MOCK') return answerMock(integration, request, context);
  const { target, timeoutMs } = integration;
  const trace = request.headers.get('x-amzn-trace-id')?.values.at(-1) ?? newTrace(request.timeMs);
  const invocation: Invocation = {
    event: JSON.stringify(createProxyEvent(exchange, trace)),
    requestId: randomUUID(),
    invokedArn: target.invokedArn,
    caller: context.identity.apiKeyId,
  };
  const answer = await withinTimeLimit(timeoutMs, async (timeLimit) => {
    const cancelled = AbortSignal.any([request.signal, timeLimit]);
    const result = await invoke(target.lambda, invocation, cancelled);
    return answerOf(result, target.isStreaming, timeLimit);
  });
  return { ...answer, headers: [['X-Amzn-Trace-Id', trace], ...answer.headers] };
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
