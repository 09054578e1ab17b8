import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import {
  answerHeaders,
  connectUpstream,
  type Upstream,
  withoutPassword,
} from '../../../local/dynamodb/upstream.ts';
import { serve } from '../../helpers/loopback-server.ts';

interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly socket: Socket;
}

/** A server that keeps what it receives. */
async function receiver() {
  const received: Received[] = [];
  const server = await serve(async (incoming, outgoing) => {
    const { method, headers, socket } = incoming;
    received.push({ method, headers, socket, body: await text(incoming) });
    outgoing.end('{}');
  });
  return { ...server, received };
}

async function send(upstream: Upstream, headers: IncomingHttpHeaders = {}): Promise<void> {
  const call = { headers, body: Buffer.from('{"ä":1}') };
  const [response] = await once(upstream.send(call), 'response');
  await text(response);
}

describe('a server behind the guard', () => {
  it('gets a call with its headers, except those of its connection and its sender', async () => {
    await using server = await receiver();
    const upstream = connectUpstream(server.url);

    await send(upstream, {
      authorization: 'own',
      connection: 'close',
      'content-length': '1',
      host: 'other',
      'keep-alive': 'timeout=1',
      'x-amz-target': 'DynamoDB_20120810.Scan',
    });

    upstream.close();
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        body: '{"ä":1}',
        headers: {
          authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
          connection: 'keep-alive',
          'content-length': '8',
          host: new URL(server.url).host,
          'x-amz-target': 'DynamoDB_20120810.Scan',
        },
      },
    ]);
    expect(server.received[0]!.headers).not.toHaveProperty('keep-alive');
  });

  it('gets all calls over one connection, which is closed at last', async () => {
    await using server = await receiver();
    const upstream = connectUpstream(server.url);

    await send(upstream);
    await send(upstream);
    const [first, second] = server.received.map(({ socket }) => socket);
    const closed = once(first!, 'close');
    upstream.close();

    expect(first).toBe(second);
    await expect(closed).resolves.toBeDefined();
  });

  it('gets the user and the password of its address, which is shown without them', async () => {
    await using server = await receiver();
    const upstream = connectUpstream(server.url.replace('//', '//user:secret@'));

    await send(upstream, { authorization: 'own' });

    upstream.close();
    expect(server.received[0]!.headers.authorization).toBe(`Basic ${btoa('user:secret')}`);
    expect(upstream.shownAddress).toBe(server.url.replace('//', '//…@'));
  });

  it('is called in TLS where its address says so', async () => {
    await using server = await receiver();
    const upstream = connectUpstream(server.url.replace('http:', 'https:'));

    await expect(send(upstream)).rejects.toMatchObject({ code: 'EPROTO' });

    upstream.close();
    expect(server.received).toEqual([]);
  });
});

it.each([
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['http://user:p@ss@127.0.0.1:8000', 'http://…@127.0.0.1:8000'],
  ['user:secret@127.0.0.1', '…@127.0.0.1'],
  ['no address http://user:secret@host', '…@host'],
  ['http://us\ner:secret@host', 'http://…@host'],
])('an address is shown without a password: %j', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});

it('an answer keeps the headers that belong to its body and to AWS', () => {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-crc32': '1',
    'x-amzn-requestid': '2',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    date: 'today',
  };

  expect(answerHeaders({ headers } as Partial<IncomingMessage> as IncomingMessage)).toEqual({
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-crc32': '1',
    'x-amzn-requestid': '2',
  });
});
