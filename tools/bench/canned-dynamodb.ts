import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { cannedOwner, cannedPeerKey, isPeerCounterFull } from './canned-keys.ts';
import {
  createPageSource,
  pageRange,
  parseOrdersTableName,
  type ScanRequest,
} from './canned-orders.ts';
import { createLocalhostCertificate } from './certificate.ts';

/** The requests that the canned DynamoDB has received since it started. */
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
  body: Buffer[];
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

// The server runs in a process of its own, so that its CPU time and memory are not measured.
if (import.meta.main) {
  const certificate = await createLocalhostCertificate();
  const servers = [createDynamodb({ ...certificate, ...lasting }), createReceiver()];
  const [dynamodbPort, receiverPort] = await Promise.all(servers.map(portOf));
  process.send!({
    certificate: certificate.cert,
    endpoint: `https://127.0.0.1:${dynamodbPort}`,
    receiverUrl: `http://127.0.0.1:${receiverPort}`,
  } satisfies CannedServers);
  process.on('disconnect', () => process.exit());
}

/**
 * Answers `Scan`, `GetItem` and `UpdateItem` like DynamoDB, from memory. That takes hardly any time,
 * so that measurements show the cost of the client. No signature is checked and no expression is
 * evaluated. `GET /counts` returns the {@link RequestCounts}.
 */
function createDynamodb(certificate: ServerOptions): Server {
  const counts: RequestCounts = { requests: 0, readUnits: 0, writeUnits: 0 };
  const answer = createAnswers();
  return createSecureServer(certificate, async (request, response) => {
    if (request.url === '/counts') return send(response, { body: json(counts) });
    const [operation, input] = await read(request);
    counts.requests++;
    if (operation === 'UpdateItem') counts.writeUnits++;
    if (operation === 'GetItem') counts.readUnits += input.ConsistentRead ? 1 : 0.5;
    await send(response, answer(operation, input));
  });
}

/** Reads the functions' responses, in place of Lambda's runtime API and the client. */
function createReceiver(): Server {
  return createServer(lasting, (request, response) => {
    request.resume().on('end', () => response.end());
  });
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function read(request: IncomingMessage): Promise<[operation: string, DynamodbRequest]> {
  const target = String(request.headers['x-amz-target'] ?? '');
  return [target.replace('DynamoDB_20120810.', ''), JSON.parse(await text(request))];
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.delayMs) await pause(answer.delayMs);
  const length = answer.body.reduce((total, part) => total + part.length, 0);
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': length,
    'x-amzn-requestid': 'BENCHMARK',
  });
  for (const part of answer.body) response.write(part);
  response.end();
}

function createAnswers(): (operation: string, input: DynamodbRequest) => Answer {
  const pageBody = createPageSource();
  const isCounted = new Set<string>();
  return (operation, input) => {
    if (operation === 'Scan') return scan(input, pageBody);
    if (operation === 'GetItem' && input.TableName === apiKeysTable)
      return { body: json({ Item: apiKeyItem(input) }) };
    if (operation === 'UpdateItem') return update(input, isCounted);
    return failure('UnknownOperationException');
  };
}

function scan(input: DynamodbRequest, pageBody: ReturnType<typeof createPageSource>): Answer {
  const table = parseOrdersTableName(input.TableName);
  if (!table) return failure('ResourceNotFoundException');
  try {
    return { body: pageBody(pageRange(table, input)), delayMs: table.delayMs };
  } catch {
    return failure('ValidationException');
  }
}

function update(input: DynamodbRequest, isCounted: Set<string>): Answer {
  if (input.TableName === apiKeysTable) return { body: json({ Attributes: apiKeyItem(input) }) };
  if (input.TableName === counterTable) return count(input, isCounted);
  if (!parseOrdersTableName(input.TableName)) return failure('ResourceNotFoundException');
  const cancelRequestId = input.ExpressionAttributeValues?.[':cancelRequestId'];
  return { body: json({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } }) };
}

/** Creates or increments a counter. Its creation fails if it exists, its increment if it does not. */
function count(input: DynamodbRequest, isCounted: Set<string>): Answer {
  const key = input.Key?.key?.S ?? '';
  const isCreation = input.ConditionExpression?.includes('attribute_not_exists') ?? false;
  if (isCreation === isCounted.has(key)) return failure('ConditionalCheckFailedException');
  isCounted.add(key);
  const expire = String(Math.floor(Date.now() / 1000) + 30);
  const points = isPeerCounterFull(key) ? '99999999' : '2';
  return {
    body: json({ Attributes: { key: { S: key }, points: { N: points }, expire: { N: expire } } }),
  };
}

/** The peer's table has the partition key `keyHash`, ours has `ownerHash`. */
function apiKeyItem({ Key }: DynamodbRequest) {
  return Key?.keyHash ? cannedPeerKey(Key.keyHash.S) : cannedOwner(Key?.ownerHash?.S);
}

function failure(type: string): Answer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type };
  return { status: 400, body: json(body) };
}

function json(value: unknown): Buffer[] {
  return [Buffer.from(JSON.stringify(value))];
}
