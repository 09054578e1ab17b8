import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { cannedOwner, cannedPeerKey } from './canned-keys.ts';
import { type OrdersTable, pageBody, type ScanRequest } from './canned-orders.ts';

/** What the servers have received since the counts were last read. */
export interface Received {
  /** The requests to DynamoDB. */
  requests: number;
  /** One for a write of up to 1 KB, even if its condition fails. */
  writeUnits: number;
  /** The bytes of the functions' responses. */
  bytes: number;
}

type DynamodbRequest = ScanRequest & {
  TableName: string;
  Key?: Record<string, { S: string }>;
  ConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, object>;
};

/** The table of API keys. Writes do not change its items: the canned keys determine them. */
export const apiKeysTable = 'api-keys';
/** The table of the counters of `rate-limiter-flexible`, with an item per owner and window. */
export const counterTable = 'rate-limiter-counters';

/** Keeps idle connections open, however long a measured process computes between two requests. */
const lasting = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
const none: Received = { requests: 0, writeUnits: 0, bytes: 0 };
let received = { ...none };
/** The table of orders of the process that is being measured. */
let ordersTable: OrdersTable = { orders: 0 };

// The servers run in a separate process, so that their CPU time and memory are not measured.
if (import.meta.main) {
  // A certificate with this name is also valid for 127.0.0.1. Its key is not stored.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  const certificateFile = join(process.argv[2]!, 'certificate.pem');
  writeFileSync(certificateFile, cert);
  const servers = [createDynamodb({ key, cert, ...lasting }), createReceiver()];
  const [dynamodbPort, receiverPort] = await Promise.all(servers.map(portOf));
  // The variables of a process that uses the servers.
  process.send!({
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${dynamodbPort}`,
    RECEIVER_URL: `http://127.0.0.1:${receiverPort}`,
  });
  process.on('message', (table: OrdersTable) => {
    ordersTable = table;
    process.send!('The table is there.');
  });
  process.on('disconnect', () => process.exit());
}

/**
 * Answers `Scan`, `GetItem` and `UpdateItem` like DynamoDB, from memory. This takes hardly any time, so
 * measurements show the cost of the client. It checks no signature and evaluates no expression.
 */
function createDynamodb(options: ServerOptions): Server {
  return createSecureServer(options, async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const input = (await json(request)) as DynamodbRequest;
    received.requests++;
    if (operation === 'UpdateItem') received.writeUnits++;
    send(response, await answerTo(operation, input));
  });
}

/**
 * Reads the functions' responses, in place of Lambda's runtime API and the client. `GET` returns what was
 * {@link Received}, and resets it.
 */
function createReceiver(): Server {
  return createServer(lasting, (request, response) => {
    request.on('data', (chunk) => {
      received.bytes += chunk.length;
    });
    request.on('end', () => {
      if (request.method !== 'GET') return response.end();
      response.end(JSON.stringify(received));
      received = { ...none };
    });
  });
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function send(response: ServerResponse, answer: object): void {
  const parts = Array.isArray(answer) ? answer : [Buffer.from(JSON.stringify(answer))];
  response.writeHead('__type' in answer ? 400 : 200, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': parts.reduce((total, part) => total + part.length, 0),
    'x-amzn-requestid': 'BENCHMARK',
  });
  for (const part of parts) response.write(part);
  response.end();
}

/** Returns a value to send as JSON, or the parts of a body to send unchanged. */
async function answerTo(operation: string, input: DynamodbRequest): Promise<object | Buffer[]> {
  const { TableName: name } = input;
  if (name === apiKeysTable) {
    return { [operation === 'GetItem' ? 'Item' : 'Attributes']: apiKeyItem(input) };
  }
  if (name === counterTable) return count(input);
  if (operation === 'Scan') {
    if (ordersTable.delayMs) await pause(ordersTable.delayMs);
    return pageBody(ordersTable, input);
  }
  const cancelRequestId = input.ExpressionAttributeValues?.[':cancelRequestId'];
  return { Attributes: { status: { S: 'cancelled' }, cancelRequestId } };
}

/** Increments a counter. Its creation fails, because every counter exists. */
function count({ Key, ConditionExpression }: DynamodbRequest): object {
  if (ConditionExpression?.includes('attribute_not_exists')) {
    const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
    return { __type: type, message: 'The condition failed.' };
  }
  const expire = String(Math.floor(Date.now() / 1000) + 30);
  return { Attributes: { ...Key, points: { N: '2' }, expire: { N: expire } } };
}

/** The peer's table has the partition key `keyHash`, ours has `ownerHash`. */
function apiKeyItem({ Key = {} }: DynamodbRequest) {
  const { keyHash, ownerHash } = Key;
  return keyHash ? cannedPeerKey(keyHash.S) : cannedOwner(ownerHash!.S);
}
