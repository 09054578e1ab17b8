import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { hashToken } from '../../lambdas/keys/api-key.ts';
import { windowStarts } from '../../lambdas/keys/windows.ts';
import { attributes } from '../../test/helpers/dynamodb/attribute-values.ts';
import {
  answer,
  contentType,
  type DynamodbCall,
  DynamodbProxy,
  failure,
  type Reply,
} from '../../test/helpers/dynamodb/dynamodb-proxy.ts';
import {
  exampleToken,
  keyId,
  keyPrefix,
  ownerId,
  ownerItem,
} from '../../test/helpers/dynamodb/key-items.ts';
import { serve } from '../../test/helpers/loopback-server.ts';
import { type OrdersTable, pageBody } from './canned-orders.ts';

/** The content of the tables: orders, and an owner with four keys. */
export interface Tables extends OrdersTable {
  /** Whether the owner has used up its minute. @default false */
  isMinuteFull?: boolean;
  /** The delay of each page of orders. @default 0 */
  delayMs?: number;
}

/** The counters of `rate-limiter-flexible`: an item per owner and window. */
const counterTable = 'rate-limiter-counters';

const perMinute = 60_000;
let tables: Tables = { pages: 0 };

export function fillTables(others: Tables): void {
  tables = others;
}

/**
 * Starts two servers in this process: one in place of DynamoDB, and one in place of the clients.
 *
 * @param home the folder for the server's certificate
 */
export async function startServers(home: string) {
  // A certificate with this name is also valid for 127.0.0.1. The certificate's private key is not stored.
  const name = [{ name: 'commonName', value: 'localhost' }];
  const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
  const certificateFile = join(home, 'certificate.pem');
  writeFileSync(certificateFile, cert);
  const dynamodb = await DynamodbProxy.start(replyToFunction, { certificate: { key, cert } });
  const receiver = await serve(receive);
  return {
    /** The environment of a process that uses the servers. */
    variables: {
      NODE_EXTRA_CA_CERTS: certificateFile,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      RECEIVER_URL: receiver.url,
      COUNTERS_TABLE: counterTable,
    },
    async [Symbol.asyncDispose]() {
      await dynamodb[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** Answers like DynamoDB, but checks no signature, evaluates no expression and writes nothing. */
async function replyToFunction(call: DynamodbCall): Promise<void> {
  if (call.operation !== 'Scan') return void replyFor(call)(call);
  if (tables.delayMs) await pause(tables.delayMs);
  const [items, end] = pageBody(tables, call.input);
  call.outgoing.writeHead(200, { ...contentType, 'content-length': items.length + end.length });
  call.outgoing.write(items);
  call.outgoing.end(end);
}

function replyFor({ operation, input, body }: DynamodbCall): Reply {
  // The table of our authorizer has the partition key `ownerHash`. The table of the peer has `keyHash`.
  if (body.includes('"ownerHash"')) {
    return answer({ [operation === 'GetItem' ? 'Item' : 'Attributes']: cannedOwner() });
  }
  if (body.includes('"keyHash"')) {
    return answer({ Item: attributes({ keyId, ownerId, status: 'active' }) });
  }
  if (input.TableName === counterTable) {
    // Every counter exists, so the creation of a counter fails.
    if (body.includes('attribute_not_exists')) return failure('ConditionalCheckFailedException');
    const counter = attributes({ points: 2, expire: Math.floor(Date.now() / 1_000) + 30 });
    return answer({ Attributes: { ...(input.Key as object), ...counter } });
  }
  const { ':cancelRequestId': cancelRequestId } = input.ExpressionAttributeValues as never;
  return answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } });
}

function cannedOwner() {
  const { minute, day } = windowStarts(Math.floor(Date.now() / 1_000));
  const others = ['b', 'c', 'd'].map((own) => exampleToken(keyPrefix, own.repeat(20)));
  const keys = [exampleToken(), ...others].map((token) => [hashToken(token), {}]);
  const limits = { plan: 'enterprise', perMinute, perDay: 10_000_000 };
  const minuteCount = tables.isMinuteFull ? perMinute : 17;
  const windows = { minuteWindow: minute, minuteCount, dayWindow: day };
  return ownerItem({ ...limits, ...windows }, Object.fromEntries(keys));
}

/** Reads a function's streamed response, and answers with the number of its bytes. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  response.end(String(bytes));
}
