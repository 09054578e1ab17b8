import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { ControlPlane } from './control-plane.ts';
import { answerControlPlane } from './control-plane-http.ts';
import { isTrusted } from './loopback.ts';
import { answerDescribeStacks, type StackDescription } from './stack-description.ts';

/** The services that an operator's AWS clients can call at the local run's address. */
interface ManagedServices {
  readonly controlPlane: ControlPlane;
  readonly stack: StackDescription;
  /** Forwards a DynamoDB call as the operator's. */
  readonly forwardToDynamoDB: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) => Promise<void>;
}

const bodyMaxBytes = 1_048_576;

/**
 * Answers calls of AWS clients to DynamoDB, CloudFormation and API Gateway's control plane. Returns
 * false for other requests and for requests that are not trusted.
 *
 * @throws GatewayFault `REQUEST_TOO_LARGE` for a body above 1 MiB
 */
export async function answerManagement(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  services: ManagedServices,
): Promise<boolean> {
  if (!isTrusted(incoming)) return false;
  const url = URL.parse(incoming.url!, 'http://local');
  if (!url) return false;
  const { pathname, searchParams } = url;
  const method = incoming.method!;
  if (method === 'POST' && pathname === '/') {
    if (String(incoming.headers['x-amz-target']).startsWith('DynamoDB_')) {
      await services.forwardToDynamoDB(incoming, outgoing);
      return true;
    }
    return answerQuery(incoming, outgoing, services.stack);
  }
  if (!/^\/(?:apikeys|usageplans)(?:\/|$)/.test(pathname)) return false;
  const body = await readBody(incoming);
  const call = { method, path: pathname, query: searchParams, body };
  const answer = answerControlPlane(call, services.controlPlane);
  if (!answer) return false;
  outgoing.writeHead(answer.statusCode, answer.headers).end(answer.body);
  return true;
}

async function answerQuery(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stack: StackDescription,
): Promise<boolean> {
  const form = new URLSearchParams(await readBody(incoming));
  if (form.get('Action') !== 'DescribeStacks') return false;
  const { statusCode, body } = answerDescribeStacks(form, stack);
  outgoing.writeHead(statusCode, { 'Content-Type': 'text/xml' }).end(body);
  return true;
}

/** Reads a whole body. @throws GatewayFault `REQUEST_TOO_LARGE` */
async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The iterator must not destroy the connection, which is needed to answer a body above the limit.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) break;
    chunks.push(chunk);
  }
  if (bytes <= bodyMaxBytes) return Buffer.concat(chunks).toString('utf8');
  // The rest has to be read before the next call. Within the loop, this would have no effect.
  incoming.resume();
  throw new GatewayFault('REQUEST_TOO_LARGE');
}
