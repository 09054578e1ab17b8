import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { cannedOwner, cannedPeerKey, isPeerCounterFull } from './canned-keys.ts';
import { type OrdersTable, pageBody, type ScanRequest } from './canned-orders.ts';

/** The requests that the canned DynamoDB has received since the counts were last read. */
export interface RequestCounts {
  requests: number;
  /** One for a consistent read of up to 4 KB, and half for an eventually consistent one. */
  readUnits: number;
  /** One for a write of up to 1 KB, even if its condition fails. */
  writeUnits: number;
}

/** Where the servers of this process are, and the certificate that their clients have to trust. */
export interface CannedServers {
  certificate: string;
  endpoint: string;
  receiverUrl: string;
}

interface Answer {
  status?: number;
  delayMs?: number;
  /** A value to send as JSON, or the parts of what is sent as it is. */
  body: object | Buffer[];
}

type DynamodbRequest = ScanRequest & {
  TableName: string;
  Key?: Record<string, { S?: string }>;
  ConditionExpression?: string;
  ConsistentRead?: boolean;
  ExpressionAttributeValues?: Record<string, object>;
};

/** The table of API keys. Writes do not change its items; a canned key determines their state. */
export const apiKeysTable = 'api-keys';
/** The table of the counters of `rate-limiter-flexible`, with an item per owner and window. */
export const counterTable = 'rate-limiter-counters';

/** No connection is closed while it is idle, however long a measured process computes in between. */
const lasting = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
const none: RequestCounts = { requests: 0, readUnits: 0, writeUnits: 0 };
let counts = { ...none };
const isCounted = new Set<string>();

// The server runs in a process of its own, so that its CPU time and memory are not measured.
if (import.meta.main) {
  // The certificate is for 127.0.0.1 too, where its name is localhost. Its key is not stored.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  const servers = [createDynamodb({ key, cert, ...lasting }), createReceiver()];
  const [dynamodbPort, receiverPort] = await Promise.all(servers.map(portOf));
  process.send!({
    certificate: cert,
    endpoint: `https://127.0.0.1:${dynamodbPort}`,
    receiverUrl: `http://127.0.0.1:${receiverPort}`,
  } satisfies CannedServers);
  process.on('disconnect', () => process.exit());
}

/**
 * Answers `Scan`, `GetItem` and `UpdateItem` like DynamoDB, from memory. That takes hardly any time,
 * so that measurements show the cost of the client. No signature is checked and no expression is
 * evaluated.
 */
function createDynamodb(options: ServerOptions): Server {
  return createSecureServer(options, async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const input = (await json(request)) as DynamodbRequest;
    counts.requests++;
    if (operation === 'UpdateItem') counts.writeUnits++;
    if (operation === 'GetItem') counts.readUnits += input.ConsistentRead ? 1 : 0.5;
    await send(response, answerTo(operation, input));
  });
}

/**
 * Reads the functions' responses, in place of Lambda's runtime API and the client. `GET` returns the
 * {@link RequestCounts}, and starts to count anew.
 */
function createReceiver(): Server {
  return createServer(lasting, (request, response) => {
    request.resume().on('end', () => {
      if (request.method !== 'GET') return response.end();
      response.end(JSON.stringify(counts));
      counts = { ...none };
    });
  });
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { status = 200, delayMs, body } = answer;
  if (delayMs) await pause(delayMs);
  const parts = Array.isArray(body) ? body : [Buffer.from(JSON.stringify(body))];
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': parts.reduce((total, part) => total + part.length, 0),
    'x-amzn-requestid': 'BENCHMARK',
  });
  for (const part of parts) response.write(part);
  response.end();
}

function answerTo(operation: string, input: DynamodbRequest): Answer {
  const { TableName: name } = input;
  if (name === apiKeysTable) {
    return { body: { [operation === 'GetItem' ? 'Item' : 'Attributes']: apiKeyItem(input) } };
  }
  if (name === counterTable) return count(input);
  const table = JSON.parse(name) as OrdersTable;
  if (operation === 'Scan') return { body: pageBody(table, input), delayMs: table.delayMs };
  const cancelRequestId = input.ExpressionAttributeValues?.[':cancelRequestId'];
  return { body: { Attributes: { status: { S: 'cancelled' }, cancelRequestId } } };
}

/** Creates or increments a counter. Its creation fails if it exists, its increment if it does not. */
function count(input: DynamodbRequest): Answer {
  const key = input.Key?.key?.S ?? '';
  const isCreation = input.ConditionExpression?.includes('attribute_not_exists') ?? false;
  if (isCreation === isCounted.has(key)) {
    const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
    return { status: 400, body: { __type: type, message: 'The condition failed.' } };
  }
  isCounted.add(key);
  const expire = String(Math.floor(Date.now() / 1000) + 30);
  const points = isPeerCounterFull(key) ? '99999999' : '2';
  const attributes = { key: { S: key }, points: { N: points }, expire: { N: expire } };
  return { body: { Attributes: attributes } };
}

/** The peer's table has the partition key `keyHash`, ours has `ownerHash`. */
function apiKeyItem({ Key }: DynamodbRequest) {
  return Key?.keyHash ? cannedPeerKey(Key.keyHash.S) : cannedOwner(Key?.ownerHash?.S);
}
