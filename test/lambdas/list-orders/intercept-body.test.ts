import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { interceptBody } from '../../../lambdas/list-orders/intercept-body.ts';

class Consumer {
  readonly received: string[] = [];

  push(chunk: Buffer): void {
    this.received.push(chunk.toString());
  }

  finish(): Buffer {
    return Buffer.from('{"Count":7}');
  }
}

/** The response to a Scan, whose body is intercepted; no request leaves this process. */
async function scan(statusCode: number, body: unknown) {
  const consumers: Consumer[] = [];
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: {
      handle: async () => ({ response: { statusCode, headers: {}, body } }),
    } as never,
  });
  const command = new ScanCommand({ TableName: 'orders' });
  interceptBody(command, () => {
    const consumer = new Consumer();
    consumers.push(consumer);
    return consumer;
  });
  const output = await client.send(command).catch((error: Error) => error);
  return { output, consumers };
}

function bodyOf(...chunks: Buffer[]): IncomingMessage {
  const body = new IncomingMessage(new Socket());
  for (const chunk of chunks) body.push(chunk);
  body.push(null);
  return body;
}

describe('interceptBody', () => {
  it('passes a body on in its chunks, and what is left of it to the SDK', async () => {
    const { output, consumers } = await scan(
      200,
      bodyOf(Buffer.from('{"Items"'), Buffer.from(':[]}')),
    );

    expect(consumers).toMatchObject([{ received: ['{"Items"', ':[]}'] }]);
    expect(output).toMatchObject({ Count: 7 });
  });

  it('leaves the body of an error to the SDK', async () => {
    const refusal = Buffer.from('{"__type":"com.amazonaws#ValidationException"}');

    const { output, consumers } = await scan(400, bodyOf(refusal));

    expect(output).toMatchObject({ name: 'ValidationException' });
    expect(consumers).toEqual([]);
  });

  it('leaves a body to the SDK that is no stream', async () => {
    const { output, consumers } = await scan(200, Buffer.from('{"Count":3}'));

    expect(output).toMatchObject({ Count: 3 });
    expect(consumers).toEqual([]);
  });

  it('fails with what its body fails with', async () => {
    const body = new IncomingMessage(new Socket());
    body.push('{"Items":[');
    setImmediate(() => body.destroy(new Error('The connection is gone')));

    const { output } = await scan(200, body);

    expect(output).toMatchObject({ message: 'The connection is gone' });
  });

  it('frees the memory of a chunk that has it for itself', async () => {
    const chunk = Buffer.from(new Uint8Array(100).buffer);

    await scan(200, bodyOf(chunk));

    expect(chunk).toHaveLength(0);
  });

  it('keeps the memory that a chunk shares with others', async () => {
    const memory = Buffer.alloc(100, 'x');

    await scan(200, bodyOf(memory.subarray(0, 50)));

    expect(memory.toString()).toBe('x'.repeat(100));
  });
});
