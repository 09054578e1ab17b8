import {
  type DynamodbCall,
  DynamodbProxy,
  forward,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { type AwsCall, account, region } from './policies.ts';

const tablesArn = `arn:aws:dynamodb:${region}:${account}:table/`;

export type RecordingProxy = Awaited<ReturnType<typeof recordingProxy>>;

/** Starts a proxy before a local run that records the calls of AWS's APIs. */
export async function recordingProxy(origin: string, stack: string) {
  const calls: AwsCall[] = [];
  const proxy = await DynamodbProxy.before(origin);
  proxy.reply = (call) => {
    calls.push(...callsOf(call));
    return forward(call);
  };
  return Object.assign(proxy, { calls });

  function callsOf({ operation, input, incoming, body }: DynamodbCall): AwsCall[] {
    if (operation) return dynamoDbCalls(operation, input);
    const { method, url = '/' } = incoming;
    const { pathname } = new URL(url, origin);
    if (pathname === '/') {
      const action = `cloudformation:${new URLSearchParams(body).get('Action')}`;
      return [
        { action, resource: `arn:aws:cloudformation:${region}:${account}:stack/${stack}/id` },
      ];
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

/** The parts of a call that name its tables. A transaction has no action of its own. */
interface DynamoDbInput {
  readonly TableName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
}

/** @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html */
function dynamoDbCalls(operation: string, input: DynamoDbInput): AwsCall[] {
  const { TableName, TransactItems = [] } = input;
  const call = (action: string, table: string) => ({
    action: `dynamodb:${action}`,
    resource: tablesArn + table,
  });
  const calls = [
    ...(TableName === undefined ? [] : [call(operation, TableName)]),
    ...TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, part]) => call(`${kind}Item`, part.TableName)),
    ),
  ];
  if (calls.length === 0) throw new Error(`${operation} needs unknown permissions`);
  return calls;
}
