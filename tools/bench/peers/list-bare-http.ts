import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

const agent = new Agent({ keepAlive: true });
/** Enough bytes for everything after the last item of a page. */
const tailBytes = 200;

/**
 * The lower bound for any list: fetches each page and forwards it unchanged. Requests are not signed,
 * pages are not decoded, and the result is not valid JSON.
 */
export const handler = awslambda.streamifyResponse(async (_event, stream) => {
  let startKey: unknown;
  do {
    const page = Buffer.concat(await (await scan(startKey)).toArray());
    const tail = page.subarray(-tailBytes).toString('latin1');
    const match = /"LastEvaluatedKey":(\{.*\})\}$/.exec(tail);
    startKey = match ? JSON.parse(match[1]!) : undefined;
    if (!stream.write(page)) await once(stream, 'drain');
  } while (startKey);
  await new Promise<void>((resolve) => stream.end(resolve));
});

async function scan(startKey: unknown): Promise<IncomingMessage> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.Scan',
  };
  const options = { method: 'POST', agent, headers };
  const body = { TableName: process.env.ORDERS_TABLE, ExclusiveStartKey: startKey };
  const sent = request(process.env.AWS_ENDPOINT_URL_DYNAMODB!, options).end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return response;
}
