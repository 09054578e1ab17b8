import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface CannedAnswer {
  status?: number;
  /** Beside the ones that every answer has. */
  headers?: Record<string, string>;
  body: object;
}

/** Answers a request by what it says. */
export type DynamicAnswer = (input: Record<string, unknown>) => CannedAnswer;

export interface CannedHttpDynamodb {
  endpoint: string;
  /** What came in, in order: each is one round trip. */
  requests: { operation: string; input: Record<string, unknown> }[];
  /**
   * For the next requests; without one the connection breaks, as with `lost`. `none` lets the client
   * wait for ever.
   */
  answers: (CannedAnswer | DynamicAnswer | 'lost' | 'none')[];
  close(): Promise<void>;
}

/** A DynamoDB on a port of its own that says what it is told to. */
export async function startCannedHttpDynamodb(): Promise<CannedHttpDynamodb> {
  const requests: CannedHttpDynamodb['requests'] = [];
  const answers: CannedHttpDynamodb['answers'] = [];
  const server = createServer(async (request, response) => {
    const input = (await json(request)) as Record<string, unknown>;
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    requests.push({ operation, input });
    const next = answers.shift() ?? 'lost';
    const answer = typeof next === 'function' ? next(input) : next;
    if (answer === 'none') return;
    if (answer === 'lost') return request.socket.destroy();
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/x-amz-json-1.0',
      ...answer.headers,
    });
    response.end(JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    answers,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** DynamoDB's answer to a request that failed. */
export function failureAnswer(type: string, rest: object = {}): CannedAnswer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...rest };
  return { status: 400, body };
}
