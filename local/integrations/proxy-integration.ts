import type { InvocationTarget, LambdaFunctions } from '../functions/lambda-functions.ts';
import { checkKnownProperties } from '../template/known-properties.ts';
import type { TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';

/** An integration that invokes a function with the request. */
export interface ProxyIntegration {
  readonly type: 'AWS_PROXY';
  readonly target: InvocationTarget;
  /** The time limit for the result; for a stream, the time limit for all of it. */
  readonly timeoutMs: number;
}

// API Gateway's default, which is also its maximum unless a quota increase allows more.
const defaultTimeoutMs = 29_000;
const knownProperties = `
  CacheNamespace IntegrationHttpMethod PassthroughBehavior ResponseTransferMode TimeoutInMillis
  Type Uri`;

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
  checkKnownProperties(logicalId, 'Integration', integration, knownProperties);
  if (integration.IntegrationHttpMethod !== 'POST') {
    throw new TemplateError(logicalId, 'a function is invoked by POST: IntegrationHttpMethod');
  }
  const target = functions.targetOf(integration.Uri, logicalId);
  const isStreaming = integration.ResponseTransferMode === 'STREAM';
  if (isStreaming !== target.isStreaming) {
    throw new TemplateError(logicalId, 'ResponseTransferMode and Uri disagree about streaming');
  }
  return {
    type: 'AWS_PROXY',
    target,
    timeoutMs: Number(integration.TimeoutInMillis ?? defaultTimeoutMs),
  };
}
