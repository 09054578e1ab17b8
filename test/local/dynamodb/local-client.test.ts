import type { IncomingHttpHeaders } from 'node:http';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { isSignedWith, readSignature } from '../../../local/dynamodb/signature.ts';
import { serve } from '../../helpers/loopback-server.ts';

afterEach(() => {
  jest.useRealTimers();
});

describe('a client of a local server', () => {
  it.each([
    ['placeholders', undefined, 'local', 'local'],
    ['the credentials that it is given', { accessKeyId: 'A', secretAccessKey: 'b' }, 'A', 'b'],
  ])('signs its calls with %s', async (_, credentials, accessKeyId, secret) => {
    let headers: IncomingHttpHeaders = {};
    await using server = await serve((call, answer) => {
      headers = call.headers;
      answer.end('{}');
    });
    const client = localDynamoDbClient(server.url, credentials);

    await client.send(new ListTablesCommand({}));

    client.destroy();
    const signature = readSignature(headers.authorization)!;
    expect(signature).toMatchObject({
      accessKeyId,
      scope: expect.arrayContaining(['us-east-1', 'dynamodb']),
    });
    expect(isSignedWith(secret, signature, headers, Buffer.from('{}'))).toBe(true);
  });

  it('gives up on a server that does not answer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    await using server = await serve(() => {});
    const client = localDynamoDbClient(server.url);

    let failure: Error | undefined;
    const call = client.send(new ListTablesCommand({})).catch((error) => {
      failure = error;
    });
    while (!failure) {
      await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(100);
    }

    await call;
    client.destroy();
    expect(failure).toMatchObject({ name: 'TimeoutError' });
  });
});
