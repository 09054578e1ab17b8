import type { RawResource, RawTemplate } from './template.ts';

/** In place of a time limit that has been lifted: about as long as a timer of Node can wait. */
export const liftedTimeoutMs = 2_147_483_000;

/**
 * The same template with functions that may take as long as they like, and integrations that wait
 * for them: a function that is stopped in a debugger takes minutes.
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
