import { checkKnownProperties } from '../template/known-properties.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import type { TokenBucketLimits } from './token-bucket.ts';

/** The stage that the API is served under. */
export interface Stage {
  readonly name: string;
  readonly deploymentId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What all clients together may send to a method; undefined where nothing limits it. */
  throttleOf(resourcePath: string, httpMethod: string): TokenBucketLimits | undefined;
}

interface MethodSetting {
  readonly ResourcePath: string;
  readonly HttpMethod: string;
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
}

// Those of the second line are known to make no difference on one machine.
const knownSettings = `
  HttpMethod ResourcePath ThrottlingBurstLimit ThrottlingRateLimit
  DataTraceEnabled LoggingLevel MetricsEnabled`;

/** @throws TemplateError when the template has no stage, several, or one that is not supported */
export function readStage(template: Template): Stage {
  const [stage, another] = template.ofType('AWS::ApiGateway::Stage');
  if (!stage) throw new TemplateError('template', 'there is no AWS::ApiGateway::Stage');
  if (another) throw new TemplateError(another.logicalId, 'more than one stage is not supported');
  const throttles = new Map(settingsOf(stage).flatMap((setting) => throttleEntry(setting)));
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

function throttleEntry(setting: MethodSetting): [string, TokenBucketLimits][] {
  const { ThrottlingRateLimit, ThrottlingBurstLimit } = setting;
  if (ThrottlingRateLimit === undefined || ThrottlingBurstLimit === undefined) return [];
  // In this property, the slashes within a path are written `~1`.
  const path = setting.ResourcePath.replace(/^\/~1/, '/').replaceAll('~1', '/');
  const limits = { ratePerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit };
  return [[`${path} ${setting.HttpMethod}`, limits]];
}
