import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Writable } from 'node:stream';

const agent = new Agent({ keepAlive: true });
/** Long enough to hold what follows the last item of a page. */
const tailBytes = 200;

/**
 * The floor: fetches the pages and passes them on as they are. Nothing is signed, decoded or made
 * into valid JSON.
 */
export async function handler(_event: unknown, stream: Writable): Promise<void> {
  let startKey: unknown;
  do {
    const tail = await pipePage(stream, startKey);
    const match = /"LastEvaluatedKey":(\{.*\})\}$/.exec(tail);
    startKey = match ? JSON.parse(match[1]!) : undefined;
  } while (startKey);
  await new Promise<void>((resolve) => stream.end(resolve));
}

async function pipePage(stream: Writable, startKey: unknown): Promise<string> {
  const response = await scan(startKey);
  let tail = Buffer.alloc(0);
  for await (const chunk of response) {
    stream.write(chunk);
    tail = chunk.length < tailBytes ? Buffer.concat([tail, chunk]) : chunk;
  }
  return tail.subarray(-tailBytes).toString();
}

function scan(startKey: unknown): Promise<IncomingMessage> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.Scan',
  };
  const body = { TableName: process.env.ORDERS_TABLE, ExclusiveStartKey: startKey };
  return new Promise((resolve, reject) => {
    request(process.env.AWS_ENDPOINT_URL_DYNAMODB!, { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify(body));
  });
}
