import { randomBytes } from 'node:crypto';
import { TemplateError } from '../errors.ts';
import type { InvocationResult } from '../lambda/function-code.ts';
import type { TargetOf } from '../lambda/functions.ts';
import type { TemplateResource } from '../template/template.ts';
import { createProxyEvent } from './proxy-event.ts';
import { malformed, parseProxyResult, parseStreamedResult } from './proxy-result.ts';
import type { GatewayAnswer, Integration } from './request-context.ts';

/**
 * Reads a Lambda proxy integration. It throws `INTEGRATION_FAILURE` with status 502 if the function fails or its
 * result is malformed.
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
  return async (exchange) => {
    const { headers, timeMs } = exchange.request;
    const trace = headers.get('x-amzn-trace-id')?.values.at(-1) ?? newTrace(timeMs);
    const answer = await answerOf(await invoke(createProxyEvent(exchange, trace)), isStreaming);
    return { ...answer, headers: [['X-Amzn-Trace-Id', trace], ...answer.headers] };
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html */
async function answerOf(result: InvocationResult, isStreaming: boolean): Promise<GatewayAnswer> {
  if ('error' in result) throw malformed(result.error);
  if ('stream' in result) {
    if (isStreaming) return parseStreamedResult(result.stream);
    result.stream.destroy();
  } else if (!isStreaming) return parseProxyResult(result.payload);
  throw malformed('the function streams and its integration does not, or the reverse');
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
function newTrace(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}
