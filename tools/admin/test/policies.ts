import { readFileSync } from 'node:fs';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { testAccount, testRegion } from '../../../test/helpers/stage-for-tests.ts';

export {
  testAccount as account,
  testRegion as region,
} from '../../../test/helpers/stage-for-tests.ts';

/** A call of an AWS API, as IAM evaluates it. */
export interface AwsCall {
  readonly action: string;
  readonly resource: string;
  /** The tags of the resource that the call uses. */
  readonly resourceTags?: Readonly<Record<string, string>> | undefined;
  /** The tags of the resource that the call creates. */
  readonly requestTags?: Readonly<Record<string, string>> | undefined;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<
    Record<'StringEquals' | 'StringEqualsIfExists', Readonly<Record<string, string>> | undefined>
  >;
}

/** One action on one resource that a policy allows. */
interface Grant {
  readonly action: string;
  readonly resource: string;
  readonly condition: Readonly<Record<string, string>>;
  /** The grant applies only if the resource has this tag. A new resource has no tag. */
  readonly conditionIfExists: Readonly<Record<string, string>>;
}

/** Everything that a policy of docs/iam allows for a stage. */
export function grantsOf(file: string, stage: StageName): Grant[] {
  const values: Record<string, string> = {
    ACCOUNT: testAccount,
    REGION: testRegion,
    STACK: stackName(stage),
    STAGE: stage,
  };
  const text = readFileSync(`docs/iam/${file}`, 'utf8').replaceAll(
    /<(ACCOUNT|REGION|STACK|STAGE)>/g,
    (_, name) => values[name]!,
  );
  const statements = JSON.parse(text).Statement as Statement[];
  return statements.flatMap(({ Action, Resource, Condition }) =>
    [Action].flat().flatMap((action) =>
      [Resource].flat().map((resource) => ({
        action,
        resource,
        condition: Condition?.StringEquals ?? {},
        conditionIfExists: Condition?.StringEqualsIfExists ?? {},
      })),
    ),
  );
}

/** Whether a grant allows a call. It supports only what the policies of docs/iam use. */
export function allows(grant: Grant, call: AwsCall): boolean {
  if (grant.action !== call.action || !matchesArn(grant.resource, call.resource)) return false;
  const tagOf = (key: string) => {
    const [kind, name] = key.split('/') as [string, string];
    return { 'aws:ResourceTag': call.resourceTags, 'aws:RequestTag': call.requestTags }[kind]?.[
      name
    ];
  };
  const { condition, conditionIfExists } = grant;
  return (
    Object.entries(condition).every(([key, expected]) => tagOf(key) === expected) &&
    Object.entries(conditionIfExists).every(
      ([key, expected]) => (tagOf(key) ?? expected) === expected,
    )
  );
}

/** Whether an ARN matches a pattern. A wildcard in it does not match across the segments of the ARN. */
function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const escaped = pattern.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '[^:]*')}$`).test(arn);
}
