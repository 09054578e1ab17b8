import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ControlPlane } from './control-plane.ts';
import { answerControlPlane } from './control-plane-http.ts';
import { isTrusted } from './loopback.ts';
import { answerDescribeStacks, type StackDescription } from './stack-description.ts';

/** What an operator's AWS clients can reach through the local run's own address. */
export interface ManagedServices {
  readonly controlPlane: ControlPlane;
  readonly stack: StackDescription;
  readonly dynamodbEndpoint: string;
}

const bodyMaxBytes = 1_048_576;

/**
 * Answers the calls that AWS clients send to the root of an endpoint or to API Gateway's control
 * plane; false when the request is none of them, or not trusted.
 */
export async function answerManagement(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  services: ManagedServices,
): Promise<boolean> {
  if (!isTrusted(incoming)) return false;
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://local');
  const method = incoming.method ?? '';
  if (method === 'POST' && pathname === '/') {
    if (String(incoming.headers['x-amz-target']).startsWith('DynamoDB_')) {
      await forward(incoming, outgoing, services.dynamodbEndpoint);
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

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  endpoint: string,
): Promise<void> {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const call = request(endpoint, { method: 'POST', headers });
  const answered = Promise.withResolvers<IncomingMessage>();
  call.on('response', answered.resolve).on('error', answered.reject);
  incoming.pipe(call);
  const response = await answered.promise;
  outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
  await pipeline(response, outgoing);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) throw new RangeError(`a body above ${bodyMaxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
