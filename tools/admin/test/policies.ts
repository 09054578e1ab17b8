import { readFileSync } from 'node:fs';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { testEnv } from '../../../test/helpers/stage-for-tests.ts';

export const { account, region } = testEnv;

/** A call of an AWS API. */
export interface AwsCall {
  readonly action: string;
  readonly resource: string;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** One action on one resource that a policy allows. */
interface Grant extends AwsCall {
  /** The values that tags of the resource must have. */
  readonly tags: readonly string[];
}

/** Everything that a policy of docs/iam allows for a stage. */
export function grantsOf(file: string, stage: StageName): Grant[] {
  const values: Record<string, string> = {
    ACCOUNT: account,
    REGION: region,
    STACK: stackName(stage),
    STAGE: stage,
    // The CDK's own, which an account has unless its bootstrap names another.
    QUALIFIER: 'hnb659fds',
  };
  const text = readFileSync(`docs/iam/${file}`, 'utf8').replaceAll(
    /<(ACCOUNT|REGION|STACK|STAGE|QUALIFIER)>/g,
    (_, name) => values[name]!,
  );
  const statements = JSON.parse(text).Statement as Statement[];
  return statements.flatMap(({ Action, Resource, Condition = {} }) => {
    const tags = Object.values(Condition).flatMap((required) => Object.values(required));
    const resources = [Resource].flat();
    return [Action]
      .flat()
      .flatMap((action) => resources.map((resource) => ({ action, resource, tags })));
  });
}

/** Whether a grant allows a call, on resources that have the required tags. */
export function allows({ action, resource }: Grant, call: AwsCall): boolean {
  return action === call.action && matchesArn(resource, call.resource);
}

/** Whether an ARN matches a pattern. A wildcard in it does not match across the segments of the ARN. */
function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const escaped = pattern.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '[^:]*')}$`).test(arn);
}
