import type { RawResource, RawTemplate } from './template.ts';

/** Replaces time limits that are lifted: almost the maximum delay of a timer in Node, in ms. */
export const liftedTimeoutMs = 2_147_483_000;

/**
 * Returns the template without the timeouts of its functions and integrations, because a function
 * that is paused in a debugger takes minutes.
 */
export function withoutTimeLimits(template: RawTemplate): RawTemplate {
  const resources = Object.entries(template.Resources).map(([logicalId, resource]) => [
    logicalId,
    { ...resource, Properties: { ...resource.Properties, ...liftedProperties(resource) } },
  ]);
  return { ...template, Resources: Object.fromEntries(resources) };
}

function liftedProperties({ Type, Properties }: RawResource): object {
  if (Type === 'AWS::Lambda::Function') return { Timeout: liftedTimeoutMs / 1000 };
  const integration = Properties?.Integration as { readonly Type?: string } | undefined;
  if (Type !== 'AWS::ApiGateway::Method' || integration?.Type !== 'AWS_PROXY') return {};
  return { Integration: { ...integration, TimeoutInMillis: liftedTimeoutMs } };
}
