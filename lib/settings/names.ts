import { serviceName } from '../../lambdas/contract/service-name.ts';
import type { FunctionName } from './functions.ts';
import type { PlanName } from './plans.ts';
import { isStageName, type StageName } from './stages.ts';

const stackPrefix = `${serviceName}-`;

/** The name of the service and the stage, with a hyphen between. */
export function stackName(stage: StageName): string {
  return stackPrefix + stage;
}

/** The stage of a stack; undefined if the stack is not one of this service. */
export function stageOfStack(name = ''): StageName | undefined {
  const stage = name.replace(stackPrefix, '');
  return isStageName(stage) && stackName(stage) === name ? stage : undefined;
}

/**
 * The tag of a stage's resources and gateway keys. Its value is the stack's name. The bill is divided by this tag. If
 * an ARN does not contain the stage, policies distinguish the stages by this tag.
 */
export const stackTag = 'service-stack';

/** The outputs of a stack, which operators and deployments read by name. */
export type OutputName =
  | 'BaseUrl'
  | 'RestApiId'
  | 'OrdersTableName'
  | 'OrdersStreamArn'
  | 'ApiKeysTableName'
  | 'OwnersTableName'
  | 'Plans'
  | 'AlarmTopicArn'
  | 'AccessLogGroupName'
  | 'ExecutionLogGroupName'
  | `${Capitalize<FunctionName>}${'Function' | 'LogGroup'}Name`
  | UsagePlanOutputName;

type UsagePlanOutputName = `UsagePlanId${Capitalize<PlanName>}`;

/** Such as `UsagePlanIdFree`. */
export function usagePlanOutput(plan: PlanName): UsagePlanOutputName {
  return `UsagePlanId${capitalized(plan)}`;
}

/** Converts the first letter to upper case, as in construct ids. */
export function capitalized<Name extends string>(name: Name): Capitalize<Name> {
  return (name.charAt(0).toUpperCase() + name.slice(1)) as Capitalize<Name>;
}
