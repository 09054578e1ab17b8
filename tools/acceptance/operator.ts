import { readFileSync } from 'node:fs';
import {
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { type StageName, stageSettings } from '../../lib/settings/stages.ts';
import { aws, lookUntil } from './aws.ts';

/** The stage that is operated. */
interface OperatedStage {
  readonly stage: StageName;
  readonly stack: string;
  readonly signal: AbortSignal;
}

// The role has a stack of its own, so that one call removes it.
const stackOf = ({ stack }: OperatedStage) => ({ StackName: `${stack}-operator` });
const waiting = { client: aws.cloudFormation, maxWaitTime: 600 };

/**
 * Creates a role that has `docs/iam/operator-policy.json` and nothing else, and assumes it.
 *
 * @returns its credentials as environment variables
 */
export async function createOperator(trial: OperatedStage) {
  const { Account = '', Arn = '' } = await aws.sts.getCallerIdentity({});
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('arn:aws:', Arn.replace(/^(arn:[^:]+:).*/, '$1'))
    .replaceAll('<ACCOUNT>', Account)
    .replaceAll('<REGION>', stageSettings(trial.stage).region)
    .replaceAll('<STAGE>', trial.stage);
  await aws.cloudFormation.createStack({
    ...stackOf(trial),
    TemplateBody: roleTemplate(Account, JSON.parse(policy)),
    Capabilities: ['CAPABILITY_IAM'],
  });
  await waitUntilStackCreateComplete(waiting, stackOf(trial));
  const { Stacks } = await aws.cloudFormation.describeStacks(stackOf(trial));
  const RoleArn = Stacks![0]!.Outputs![0]!.OutputValue;
  // A new role can be assumed some seconds later.
  const assume = () => aws.sts.assumeRole({ RoleArn, RoleSessionName: 'acceptance' });
  await lookUntil(() => assume().catch(() => undefined), Boolean, trial.signal);
  const { Credentials } = await assume();
  return {
    AWS_ACCESS_KEY_ID: Credentials!.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: Credentials!.SecretAccessKey,
    AWS_SESSION_TOKEN: Credentials!.SessionToken,
    // The SDK would prefer it.
    AWS_PROFILE: undefined,
  };
}

/** Deletes the role. It need not exist. */
export async function deleteOperator(trial: OperatedStage): Promise<void> {
  await aws.cloudFormation.deleteStack(stackOf(trial));
  await waitUntilStackDeleteComplete(waiting, stackOf(trial));
}

function roleTemplate(account: string, PolicyDocument: object): string {
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  const Properties = {
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument }],
  };
  return JSON.stringify({
    Resources: { Role: { Type: 'AWS::IAM::Role', Properties } },
    Outputs: { Arn: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } } },
  });
}
