import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../exchange/incoming-request.ts';
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

/**
 * Answers calls of AWS clients to DynamoDB, CloudFormation and API Gateway's control plane. Returns
 * false for other requests and for requests that are not trusted.
 *
 * @throws GatewayFault `REQUEST_TOO_LARGE`
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
  const body = String(await readBody(incoming));
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
  const form = new URLSearchParams(String(await readBody(incoming)));
  if (form.get('Action') !== 'DescribeStacks') return false;
  const { statusCode, body } = answerDescribeStacks(form, stack);
  outgoing.writeHead(statusCode, { 'Content-Type': 'text/xml' }).end(body);
  return true;
}
