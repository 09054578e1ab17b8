import type { StackResourceSummary } from '@aws-sdk/client-cloudformation';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { callLimitSettings, defaultCallLimits, withCallLimits } from '../stage/call-limits.ts';
import { failureText } from '../stage/service-failure.ts';

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
    const name = physicalId('AWS::Lambda::Function', ({ LogicalResourceId = '' }) =>
      LogicalResourceId.startsWith(logicalId),
    );
    const alias = physicalId('AWS::Lambda::Alias', ({ PhysicalResourceId = '' }) =>
      PhysicalResourceId.includes(`:function:${name}:`),
    );
    return { id, name, alias: alias?.split(':').at(-1) };
  });
}

/** Longer than the authorizer may take. */
const limits = { ...defaultCallLimits, answerTimeoutMs: 8_000 };

const missing = { version: null, deployedAt: null, failure: 'is missing', unknown: null };

/**
 * Reads the version of a function that serves. A metric does not show whether the authorizer works, because every
 * invalid key counts as an error of its function. So this asks the authorizer about one.
 *
 * @param unknownToken a token of the stage that nobody has
 * @returns `failure`: why it cannot serve; `unknown`: why it could not be asked
 */
export async function servingFunction(
  { id, name, alias: Qualifier }: StackFunction,
  unknownToken: string,
) {
  if (name === undefined) return { name: id, ...missing };
  const lambda = withCallLimits(new LambdaClient(callLimitSettings(limits)), limits);
  const serving = { FunctionName: name, Qualifier };
  const asked = lambda.send(new GetFunctionConfigurationCommand(serving));
  const found = await asked.catch((error: unknown) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
  if (!found) return { name, ...missing };
  const { Version: version = null, LastModified: deployedAt = null, State, StateReason } = found;
  const own = { name, version, deployedAt, failure: null, unknown: null };
  if (State === 'Failed')
    return { ...own, failure: StateReason ? `cannot start (${StateReason})` : 'cannot start' };
  if (id !== 'authorizer') return own;
  const event = { type: 'TOKEN', authorizationToken: `Bearer ${unknownToken}`, methodArn: '' };
  const request = new InvokeCommand({ ...serving, Payload: JSON.stringify(event) });
  try {
    const { Payload } = await lambda.send(request);
    const answer = JSON.parse(Buffer.from(Payload ?? []).toString() || 'null');
    const reason = answer ? 'it accepts an unknown key' : 'it returns nothing';
    const { errorMessage = reason } = Object(answer);
    return { ...own, failure: errorMessage === 'Unauthorized' ? null : `fails (${errorMessage})` };
  } catch (error) {
    // Lambda's own failure, or a missing permission, says nothing about the function.
    const isUnasked = [403, 500].includes(Object(error).$metadata?.httpStatusCode);
    const reason = failureText(error);
    return isUnasked ? { ...own, unknown: reason } : { ...own, failure: `fails (${reason})` };
  }
}
