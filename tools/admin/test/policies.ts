import { readFileSync } from 'node:fs';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import {
  type DynamodbCall,
  DynamodbProxy,
  forward,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { testEnv } from '../../../test/helpers/stage-for-tests.ts';

export const { account, region } = testEnv;

/** A call of an AWS API. */
export interface AwsCall {
  readonly action: string;
  readonly resource: string;
}

interface Statement {
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
    new RegExp(`<(${Object.keys(values).join('|')})>`, 'g'),
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

/** The calls that no grant allows on resources that have the required tags, and the grants that no call needs. */
export function differences(calls: readonly AwsCall[], grants: readonly Grant[]) {
  return {
    refused: calls.filter((call) => !grants.some((grant) => allows(grant, call))),
    unused: grants.filter((grant) => !calls.some((call) => allows(grant, call))),
  };
}

/** A wildcard in the ARN of a grant does not match across the segments of an ARN. */
function allows({ action, resource }: Grant, call: AwsCall): boolean {
  const pattern = RegExp.escape(resource).replaceAll('\\*', '[^:]*');
  const isMatch = resource === '*' || new RegExp(`^${pattern}$`).test(call.resource);
  return action === call.action && isMatch;
}

export type RecordingProxy = Awaited<ReturnType<typeof recordingProxy>>;

/** Starts a proxy before a local run that records the calls of AWS's APIs. */
export async function recordingProxy(origin: string, stack: string) {
  const calls: AwsCall[] = [];
  const proxy = await DynamodbProxy.before(origin);
  proxy.reply = (call) => {
    calls.push(...(call.operation ? dynamoDbCalls(call) : otherCalls(call)));
    return forward(call);
  };
  return Object.assign(proxy, { calls });

  function otherCalls({ incoming: { method, url }, body }: DynamodbCall): AwsCall[] {
    const { pathname } = new URL(url!, origin);
    if (pathname === '/') {
      const action = `cloudformation:${new URLSearchParams(body).get('Action')}`;
      return [{ action, resource: arn('cloudformation', `stack/${stack}/id`) }];
    }
    const resource = `arn:aws:apigateway:${region}::${pathname}`;
    const call = { action: `apigateway:${method}`, resource };
    // IAM evaluates a second call when a resource is created with tags:
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_apigateway.html
    const tagging = {
      action: 'apigateway:PUT',
      resource: `arn:aws:apigateway:${region}::/tags/${encodeURIComponent(`${resource}/*`)}`,
    };
    return method === 'POST' && JSON.parse(body).tags ? [call, tagging] : [call];
  }
}

/**
 * A transaction has no action of its own.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
function dynamoDbCalls({ operation, input }: DynamodbCall): AwsCall[] {
  const { TransactItems = [{ [operation]: input }] } = input;
  const parts = TransactItems as Record<string, { TableName: string }>[];
  return parts.flatMap((part) =>
    Object.entries(part).map(([kind, { TableName }]) => ({
      action: `dynamodb:${kind.replace(/^(Put|Update|Delete|ConditionCheck)$/, '$1Item')}`,
      resource: arn('dynamodb', `table/${TableName}`),
    })),
  );
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}
