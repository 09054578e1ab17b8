import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'selfsigned';
import {
  answer,
  contentType,
  type DynamodbCall,
  DynamodbProxy,
  failure,
  type Reply,
} from '../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { serve } from '../../test/helpers/loopback-server.ts';
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

type DynamodbInput = ScanRequest & {
  TableName?: string;
  Key?: Record<string, { S: string }>;
  ConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, object>;
};

/** Writes do not change its items: the canned keys determine them. */
export const apiKeysTable = 'api-keys';
/** The table of the counters of `rate-limiter-flexible`, with an item per owner and window. */
export const counterTable = 'rate-limiter-counters';

const none: Received = { requests: 0, writeUnits: 0, bytes: 0 };
let received = { ...none };
let ordersTable: OrdersTable = { orders: 0 };

// The servers run in a separate process, so that their CPU time and memory are not measured.
if (import.meta.main) {
  // A certificate with this name is also valid for 127.0.0.1. Its key is not stored.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  const certificateFile = join(process.argv[2]!, 'certificate.pem');
  writeFileSync(certificateFile, cert);
  const dynamodb = await DynamodbProxy.start(replyToFunction, { certificate: { key, cert } });
  const receiver = await serve(receive);
  // The variables of a process that uses the servers.
  process.send!({
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    RECEIVER_URL: receiver.url,
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
async function replyToFunction(call: DynamodbCall): Promise<void> {
  const { operation, outgoing } = call;
  const input: DynamodbInput = call.input;
  received.requests++;
  if (operation === 'UpdateItem') received.writeUnits++;
  if (operation !== 'Scan') return void answerTo(operation, input)(call);
  if (ordersTable.delayMs) await pause(ordersTable.delayMs);
  const parts = pageBody(ordersTable, input);
  const length = parts.reduce((total, part) => total + part.length, 0);
  outgoing.writeHead(200, { ...contentType, 'content-length': length });
  for (const part of parts) outgoing.write(part);
  outgoing.end();
}

/**
 * Reads the functions' responses, in place of Lambda's runtime API and the client. `GET` returns what was
 * {@link Received}, and resets it.
 */
function receive(request: IncomingMessage, response: ServerResponse): void {
  request.on('data', (chunk) => {
    received.bytes += chunk.length;
  });
  request.on('end', () => {
    if (request.method !== 'GET') return void response.end();
    response.end(JSON.stringify(received));
    received = { ...none };
  });
}

function answerTo(operation: string, input: DynamodbInput): Reply {
  const { TableName: name, Key = {}, ExpressionAttributeValues } = input;
  if (name === counterTable) return count(input);
  if (name === apiKeysTable) {
    // The peer's table has the partition key `keyHash`, ours has `ownerHash`.
    const { keyHash, ownerHash } = Key;
    const item = keyHash ? cannedPeerKey(keyHash.S) : cannedOwner(ownerHash!.S);
    return answer({ [operation === 'GetItem' ? 'Item' : 'Attributes']: item });
  }
  const cancelRequestId = ExpressionAttributeValues?.[':cancelRequestId'];
  return answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } });
}

/** Increments a counter. Its creation fails, because every counter exists. */
function count({ Key, ConditionExpression }: DynamodbInput): Reply {
  if (ConditionExpression?.includes('attribute_not_exists')) {
    return failure('ConditionalCheckFailedException');
  }
  const expire = String(Math.floor(Date.now() / 1000) + 30);
  return answer({ Attributes: { ...Key, points: { N: '2' }, expire: { N: expire } } });
}
