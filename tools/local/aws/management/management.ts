import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Account, Deployment } from '../deployment.ts';
import { type ControlPlane, RefusedCallError } from './control-plane.ts';
import { isTrusted } from './loopback.ts';

/**
 * The operations of API Gateway by method, collection and part. Their parameters are the ids in the path, the query and
 * the body. A list is a single page.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html
 */
// biome-ignore lint/suspicious/noExplicitAny: each operation has parameters of its own
const operations: Record<string, (plane: ControlPlane, parameters: any) => Promise<unknown>> = {
  'POST apikeys': (plane, key) => plane.createGatewayKey(key),
  'GET apikeys': async (plane, { name }) => ({ item: await plane.findGatewayKeys(name ?? '') }),
  'DELETE apikeys': (plane, { id }) => plane.deleteGatewayKey(id),
  'GET usageplans usage': async (plane, asked) => ({ values: await plane.getUsage(asked) }),
  'POST usageplans keys': (plane, { id, keyId }) => plane.addToUsagePlan(id, keyId),
};

/** Answers trusted calls to DynamoDB, CloudFormation and API Gateway, or returns false. */
export async function answerManagement(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  services: Account & Deployment,
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
  const [, collection, id, part] = pathname.split('/');
  const operation = operations[[method, collection, part].join(' ').trim()];
  if (!operation) return false;

  const parameters = {
    id,
    usagePlanId: id,
    ...Object.fromEntries(searchParams),
    ...JSON.parse(body || '{}'),
  };
  outgoing.setHeader('Content-Type', 'application/json');
  try {
    const result = await operation(services.controlPlane, parameters);
    outgoing.end(JSON.stringify(result ?? {}));
  } catch (error) {
    if (!(error instanceof RefusedCallError)) throw error;
    outgoing.writeHead(error.name === 'NotFoundException' ? 404 : 409, {
      'x-amzn-ErrorType': error.name,
    });
    outgoing.end(JSON.stringify({ message: error.message }));
  }
  return true;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
function description({ stackName, outputs }: Deployment): string {
  const members = Object.entries(outputs).map(([key, value]) => {
    const text = value.replaceAll('&', '&amp;');
    return `<member><OutputKey>${key}</OutputKey><OutputValue>${text}</OutputValue></member>`;
  });
  return [
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stackName}</StackName>`,
    `<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  ].join('');
}
