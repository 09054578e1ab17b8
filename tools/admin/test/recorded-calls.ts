import { type DynamodbCall, DynamodbProxy } from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { type AwsCall, account, region } from './policies.ts';

type Tags = Readonly<Record<string, string>>;

const tablesArn = `arn:aws:dynamodb:${region}:${account}:table/`;

export type RecordingProxy = Awaited<ReturnType<typeof recordingProxy>>;

/**
 * Starts a proxy before a local run that records the operators' calls.
 *
 * @param usagePlanTags the tags that every usage plan has in the template
 */
export async function recordingProxy(origin: string, stack: string, usagePlanTags: Tags) {
  const calls: AwsCall[] = [];
  const keyTags = new Map<string, Tags>();
  const proxy = await DynamodbProxy.before(origin);
  proxy.reply = async (call) => {
    calls.push(...callsOf(call));
    const { status, headers, body } = await call.execute();
    const { method, url } = call.incoming;
    if (method === 'POST' && url === '/apikeys') {
      keyTags.set(JSON.parse(body.toString()).id, JSON.parse(call.body).tags);
    }
    call.outgoing.writeHead(status, headers).end(body);
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
    const [, kind, id] = pathname.split('/');
    const resourceTags = kind === 'usageplans' && id ? usagePlanTags : keyTags.get(id!);
    const requestTags = body && method === 'POST' ? JSON.parse(body).tags : undefined;
    const resource = `arn:aws:apigateway:${region}::${pathname}`;
    const call: AwsCall = { action: `apigateway:${method}`, resource, resourceTags, requestTags };
    return requestTags ? [call, taggingOf(resource, requestTags)] : [call];
  }
}

/**
 * The second call that IAM evaluates when a resource is created with tags.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_apigateway.html
 */
export function taggingOf(arn: string, requestTags: Tags, resourceTags?: Tags): AwsCall {
  const resource = `arn:aws:apigateway:${region}::/tags/${encodeURIComponent(`${arn}/*`)}`;
  return { action: 'apigateway:PUT', resource, requestTags, resourceTags };
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
