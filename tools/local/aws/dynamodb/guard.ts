import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import { region } from '../template.ts';
import type { Caller } from './callers.ts';
import type { Database } from './database.ts';

/** A proxy before DynamoDB that authorizes the functions' calls. */
export type DynamoDBGuard = Awaited<ReturnType<typeof startDynamoDBGuard>>;

// DynamoDB Local gives each access key its own tables, so all callers share this access key.
const sharedAuthorization =
  `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/dynamodb/aws4_request, ` +
  `SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;

// The embedded server takes about 15 ms for a page of this many small items, and a write waits for the page.
const embeddedPageMaxItems = 2_000;

/**
 * Starts the guard on a free loopback port. The guard knows a function by its random access key id. Signatures are not
 * verified, because a program that can read the id can also read the secret. A web page can read neither.
 */
export async function startDynamoDBGuard(
  database: Pick<Database, 'endpoint' | 'isEmbedded'>,
  log: (source: string, line: string) => void,
) {
  const callers: Caller[] = [];

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { authorization = '' } = incoming.headers;
    const caller = callers.find(({ accessKeyId }) => authorization.includes(`=${accessKeyId}/`));
    if (!caller) {
      const message = 'The security token included in the request is invalid.';
      return sendError(outgoing, 403, 'UnrecognizedClientException', message);
    }
    const body = await text(incoming);
    const denial = caller.denialOf(operationOf(incoming), JSON.parse(body).TableName);
    if (denial === undefined) return execute(incoming, body, outgoing);
    log('iam', denial);
    sendError(outgoing, 400, 'AccessDeniedException', denial);
  }

  async function execute(incoming: IncomingMessage, call: string, outgoing: ServerResponse) {
    const isPlanned = database.isEmbedded && operationOf(incoming) === 'Scan';
    const body = isPlanned ? planScan(call) : call;
    if (body === undefined) return sendJson(outgoing, 200, emptyPage);
    const { 'content-type': type = '', 'x-amz-target': target = '' } = incoming.headers;
    const response = await fetch(database.endpoint, {
      method: 'POST',
      headers: {
        authorization: sharedAuthorization,
        'content-type': type,
        'x-amz-target': String(target),
        'x-amz-date': '20260101T000000Z',
      },
      body,
    });
    sendJson(outgoing, response.status, Buffer.from(await response.arrayBuffer()));
  }

  const server = await listen(answer, { host: '127.0.0.1', port: 0 });
  return {
    /** The endpoint for functions. */
    endpoint: server.origin,
    /** Lets more callers use the database. The functions of an earlier deployment can still use it. */
    admit: (more: readonly Caller[]) => callers.push(...more),
    /** Forwards a call of the operator, who may do everything. */
    forward: async (incoming: IncomingMessage, outgoing: ServerResponse) =>
      execute(incoming, await text(incoming), outgoing),
    close: server.close,
  };
}

const emptyPage = JSON.stringify({ Count: 0, Items: [], ScannedCount: 0 });

/**
 * Changes a scan, because for each page of a segment the embedded server reads the items of all segments. DynamoDB may
 * put an item into any segment, so here all items are in the first segment. Returns undefined for all other segments.
 */
function planScan(call: string): string | undefined {
  const { Segment, TotalSegments, ...rest } = JSON.parse(call);
  if (Segment) return undefined;
  const Limit = Math.min(rest.Limit ?? embeddedPageMaxItems, embeddedPageMaxItems);
  return JSON.stringify({ ...rest, Limit });
}

/** The operation of a call, such as `GetItem`. */
function operationOf({ headers }: IncomingMessage): string {
  return String(headers['x-amz-target']).replace(/^DynamoDB_\d+\./, '');
}

function sendError(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = { __type: `com.amazon.coral.service#${type}`, Message: message };
  sendJson(outgoing, status, JSON.stringify(body));
}

function sendJson(outgoing: ServerResponse, status: number, body: string | Buffer): void {
  outgoing.statusCode = status;
  outgoing.setHeader('Content-Type', 'application/x-amz-json-1.0').end(body);
}
