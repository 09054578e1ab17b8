import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../api-gateway/incoming-request.ts';
import type { DynamoDBGuard } from '../dynamodb/guard.ts';
import { type ControlPlane, ControlPlaneError } from './control-plane.ts';
import { isTrusted } from './loopback.ts';

interface ManagedServices {
  readonly controlPlane: ControlPlane;
  readonly stack: {
    readonly stackName: string;
    readonly outputs: Readonly<Record<string, string>>;
  };
  readonly guard: DynamoDBGuard;
}

type Operation = (
  call: { ids: string[]; query: URLSearchParams; body: string },
  plane: ControlPlane,
) => [status: number, body: unknown];

/**
 * The operations by method and path, in which `*` stands for an id. A list is a single page.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html
 */
const operations: Readonly<Record<string, Operation>> = {
  'POST /apikeys': ({ body }, plane) => [201, plane.createApiKey(JSON.parse(body))],
  'GET /apikeys': ({ query }, plane) => {
    const keys = plane.getApiKeys({ nameQuery: query.get('name') ?? '' });
    return [200, { item: keys.map(({ id, name, enabled }) => ({ id, name, enabled })) }];
  },
  'DELETE /apikeys/*': ({ ids: [id] }, plane) => {
    plane.deleteApiKey(id!);
    return [202, {}];
  },
  'GET /usageplans': ({ query }, plane) => {
    const plans = plane.getUsagePlans({ keyId: query.get('keyId') ?? undefined });
    return [200, { item: plans.map((id) => ({ id })) }];
  },
  'GET /usageplans/*/usage': ({ ids: [usagePlanId], query }, plane) => {
    const [startDate, endDate] = ['startDate', 'endDate'].map((name) => query.get(name) ?? '');
    const interval = { usagePlanId: usagePlanId!, startDate: startDate!, endDate: endDate! };
    return [200, { ...interval, values: plane.getUsage(interval) }];
  },
  'POST /usageplans/*/keys': ({ ids: [usagePlanId], body }, plane) => {
    plane.createUsagePlanKey({ usagePlanId: usagePlanId!, keyId: JSON.parse(body).keyId });
    return [201, {}];
  },
  'DELETE /usageplans/*/keys/*': ({ ids: [usagePlanId, keyId] }, plane) => {
    plane.deleteUsagePlanKey({ usagePlanId: usagePlanId!, keyId: keyId! });
    return [202, {}];
  },
};

const statuses = { NotFoundException: 404, ConflictException: 409 } as const;

/** Answers trusted calls to DynamoDB, CloudFormation and API Gateway, or returns false. @throws GatewayFault */
export async function answerManagement(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  services: ManagedServices,
): Promise<boolean> {
  if (!isTrusted(incoming)) return false;
  const { method, url, headers } = incoming;
  const { pathname = '', searchParams: query } = URL.parse(url!, 'http://local') ?? {};
  if (method === 'POST' && pathname === '/') {
    if (String(headers['x-amz-target']).startsWith('DynamoDB_')) {
      await services.guard.forwardForOperator(incoming, outgoing);
      return true;
    }
    return answerQuery(incoming, outgoing, services.stack);
  }
  // Ids consist of letters and digits, so the segments need no decoding.
  const segments = pathname.split('/').slice(1);
  const pattern = segments.map((segment, index) => (index % 2 === 0 ? segment : '*')).join('/');
  const operation = operations[`${method} /${pattern}`];
  if (!operation) return false;
  const ids = segments.filter((_, index) => index % 2 === 1);
  const body = String(await readBody(incoming));
  try {
    sendJson(outgoing, ...operation({ ids, query: query!, body }, services.controlPlane));
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    outgoing.setHeader('x-amzn-ErrorType', error.name);
    sendJson(outgoing, statuses[error.name], { message: error.message });
  }
  return true;
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
async function answerQuery(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stack: ManagedServices['stack'],
): Promise<boolean> {
  const form = new URLSearchParams(String(await readBody(incoming)));
  if (form.get('Action') !== 'DescribeStacks') return false;
  outgoing.writeHead(200, { 'Content-Type': 'text/xml' }).end(description(stack));
  return true;
}

function description({ stackName, outputs }: ManagedServices['stack']): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${escaped(key)}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
  );
  return [
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">',
    `<DescribeStacksResult><Stacks><member><StackName>${escaped(stackName)}</StackName>`,
    '<CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>',
    `<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult>`,
    '<ResponseMetadata><RequestId>local</RequestId></ResponseMetadata></DescribeStacksResponse>',
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
