import type { StackResourceSummary } from '@aws-sdk/client-cloudformation';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { callLimitSettings, withCallLimits } from '../stage/call-limits.ts';

/** A function of the stack. `alias` is what API Gateway invokes, unless the stack has none. */
export interface StackFunction {
  readonly id: FunctionName;
  readonly name: string | undefined;
  readonly alias: string | undefined;
}

/** Finds the functions of the API among the resources of a stack. */
export function functionsOf(resources: readonly StackResourceSummary[]): StackFunction[] {
  const physicalId = (type: string, isWanted: (resource: StackResourceSummary) => boolean) =>
    resources.find((each) => each.ResourceType === type && isWanted(each))?.PhysicalResourceId;
  return functionNames.map((id) => {
    const logicalId = `${capitalized(id)}Function`;
    const name = physicalId('AWS::Lambda::Function', ({ LogicalResourceId }) =>
      Boolean(LogicalResourceId?.startsWith(logicalId)),
    );
    const alias = physicalId('AWS::Lambda::Alias', ({ PhysicalResourceId }) =>
      Boolean(PhysicalResourceId?.includes(`:function:${name}:`)),
    );
    return { id, name, alias: alias?.split(':').at(-1) };
  });
}

/**
 * Reads the version of a function that serves, and why it cannot. A metric does not show whether the authorizer
 * works, because an invalid key is an error of its function, too. So the authorizer is asked about one.
 *
 * @param unknownToken a token of the stage that nobody has
 */
export async function servingFunction(
  { id, name, alias: Qualifier }: StackFunction,
  unknownToken: string,
) {
  if (name === undefined)
    return { name: id, version: null, deployedAt: null, failure: 'is missing' };
  const lambda = withCallLimits(new LambdaClient(callLimitSettings()));
  const serving = { FunctionName: name, Qualifier };
  try {
    const { Version, LastModified, State, StateReason } = await lambda.send(
      new GetFunctionConfigurationCommand(serving),
    );
    const failure =
      State === 'Failed' ? `cannot start (${StateReason})` : await authorizerFailure();
    return { name, version: Version ?? null, deployedAt: LastModified ?? null, failure };
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    return { name, version: null, deployedAt: null, failure: 'is missing' };
  }

  async function authorizerFailure(): Promise<string | null> {
    if (id !== 'authorizer') return null;
    const event = { type: 'TOKEN', authorizationToken: `Bearer ${unknownToken}`, methodArn: '' };
    const { Payload } = await lambda.send(
      new InvokeCommand({ ...serving, Payload: JSON.stringify(event) }),
    );
    const answer = Buffer.from(Payload ?? []).toString();
    const { errorMessage } = answer.startsWith('{') ? JSON.parse(answer) : { errorMessage: answer };
    return errorMessage === 'Unauthorized'
      ? null
      : `fails (${errorMessage ?? 'it accepts an unknown key'})`;
  }
}
