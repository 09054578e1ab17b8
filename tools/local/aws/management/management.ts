import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DynamoDBGuard } from '../dynamodb/guard.ts';
import { ConflictException, type ControlPlane } from './control-plane.ts';
import { isTrusted } from './loopback.ts';

interface ManagedServices {
  readonly controlPlane: ControlPlane;
  readonly outputs: Readonly<Record<string, string>>;
  readonly stackName: string;
  readonly guard: DynamoDBGuard;
}

/** @param ids the ids in the path @returns the body of the response */
type Operation = (
  call: { ids: string[]; query: Record<string, string>; body: string },
  plane: ControlPlane,
) => Promise<unknown>;

/**
 * API Gateway's operations by method and path, in which `*` stands for an id. A list is a single page.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html
 */
const operations: Readonly<Record<string, Operation>> = {
  'POST /apikeys': ({ body }, plane) => plane.createApiKey(JSON.parse(body)),
  'GET /apikeys': async ({ query }, plane) => ({ item: await plane.findApiKeys(query.name ?? '') }),
  'DELETE /apikeys/*': ({ ids }, plane) => plane.deleteApiKey({ apiKey: ids[0]! }),
  'GET /usageplans': async ({ query }, plane) => {
    const plans = await plane.findUsagePlans({ keyId: query.keyId! });
    return { item: plans.map((id) => ({ id })) };
  },
  'GET /usageplans/*/usage': async (
    { ids: [usagePlanId], query: { startDate, endDate } },
    plane,
  ) => {
    const asked = { usagePlanId: usagePlanId!, startDate: startDate!, endDate: endDate! };
    return { values: await plane.getUsage(asked) };
  },
  'POST /usageplans/*/keys': ({ ids: [usagePlanId], body }, plane) =>
    plane.createUsagePlanKey({ usagePlanId: usagePlanId!, ...JSON.parse(body) }),
  'DELETE /usageplans/*/keys/*': ({ ids: [usagePlanId, keyId] }, plane) =>
    plane.deleteUsagePlanKey({ usagePlanId: usagePlanId!, keyId: keyId! }),
};

/** Answers trusted calls to DynamoDB, CloudFormation and API Gateway, or returns false. */
export async function answerManagement(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  services: ManagedServices,
): Promise<boolean> {
  if (!isTrusted(incoming)) return false;
  const { method, headers } = incoming;
  if (String(headers['x-amz-target']).startsWith('DynamoDB_')) {
    await services.guard.forward(incoming, outgoing);
    return true;
  }
  const { pathname, searchParams } = new URL(incoming.url!, 'http://local');
  const body = await text(incoming);
  if (`${method} ${pathname}` === 'POST /') {
    if (new URLSearchParams(body).get('Action') !== 'DescribeStacks') return false;
    outgoing.setHeader('Content-Type', 'text/xml').end(description(services));
    return true;
  }
  // Ids need no decoding, because they consist of letters, digits and hyphens.
  const segments = pathname.split('/').slice(1);
  const pattern = segments.map((segment, index) => (index % 2 === 0 ? segment : '*')).join('/');
  const operation = operations[`${method} /${pattern}`];
  if (!operation) return false;
  const ids = segments.filter((_, index) => index % 2 === 1);
  const query = Object.fromEntries(searchParams);
  outgoing.setHeader('Content-Type', 'application/json');
  try {
    const result = await operation({ ids, query, body }, services.controlPlane);
    outgoing.end(JSON.stringify(result ?? {}));
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    outgoing.writeHead(409, { 'x-amzn-ErrorType': error.name });
    outgoing.end(JSON.stringify({ message: error.message }));
  }
  return true;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
function description({ stackName, outputs }: ManagedServices): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
  );
  return [
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stackName}</StackName>`,
    `<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
