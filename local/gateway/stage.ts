import { checkKnownProperties } from '../template/known-properties.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { readLimits, type TokenBucketLimits } from './token-bucket.ts';

/** The stage of the API. */
export interface Stage {
  readonly name: string;
  readonly deploymentId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The limits for all requests to a method together; undefined when there are none. */
  throttleOf(resourcePath: string, httpMethod: string): TokenBucketLimits | undefined;
}

interface MethodSetting {
  readonly ResourcePath: string;
  readonly HttpMethod: string;
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
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
  const throttles = new Map(
    settingsOf(stage).map((setting) => throttleEntry(setting, stage.logicalId)),
  );
  return {
    name: stage.ref,
    deploymentId: stage.property('DeploymentId'),
    variables: stage.property('Variables') ?? {},
    throttleOf: (resourcePath, httpMethod) =>
      throttles.get(`${resourcePath} ${httpMethod}`) ?? throttles.get('/* *'),
  };
}

function settingsOf({ logicalId, property }: TemplateResource): MethodSetting[] {
  const settings: MethodSetting[] = property('MethodSettings') ?? [];
  for (const setting of settings) {
    checkKnownProperties(logicalId, 'MethodSettings', setting, knownSettings);
  }
  return settings;
}

function throttleEntry(setting: MethodSetting, logicalId: string) {
  // `ResourcePath` encodes the slashes within a path as `~1`.
  const path = setting.ResourcePath.replace('/~1', '/').replaceAll('~1', '/');
  const throttle = {
    RateLimit: setting.ThrottlingRateLimit,
    BurstLimit: setting.ThrottlingBurstLimit,
  };
  return [`${path} ${setting.HttpMethod}`, readLimits(throttle, logicalId)] as const;
}
