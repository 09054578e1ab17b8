import { checkKnownProperties } from '../template/known-properties.ts';
import type { Template } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import type { TokenBucketLimits } from './token-buckets.ts';

/** The stage of the API. */
export interface Stage {
  readonly name: string;
  readonly deploymentId: string;
  /** The limits for all requests to a method together; undefined when there are none. */
  readonly throttle: TokenBucketLimits | undefined;
}

// The settings of the second line have no effect in a local run.
const knownSettings = `
  HttpMethod ResourcePath ThrottlingBurstLimit ThrottlingRateLimit
  DataTraceEnabled LoggingLevel MetricsEnabled`;

/** @throws TemplateError when the template has no stage, several, or one that is not supported */
export function readStage(template: Template): Stage {
  const [stage, another] = template.ofType('AWS::ApiGateway::Stage');
  if (!stage) throw new TemplateError('template', 'there is no AWS::ApiGateway::Stage');
  if (another) throw new TemplateError(another.logicalId, 'more than one stage is not supported');
  const { logicalId, ref, property } = stage;
  const settings = property('MethodSettings')?.[0];
  if (settings) {
    checkKnownProperties(logicalId, 'MethodSettings', settings, knownSettings);
    if (
      property('MethodSettings')[1] ||
      `${settings.ResourcePath} ${settings.HttpMethod}` !== '/* *'
    )
      throw new TemplateError(logicalId, 'MethodSettings of single methods are not supported');
  }
  const { ThrottlingRateLimit: ratePerSecond, ThrottlingBurstLimit: burst } = settings ?? {};
  return {
    name: ref,
    deploymentId: property('DeploymentId'),
    throttle: ratePerSecond ? { ratePerSecond, burst } : undefined,
  };
}
