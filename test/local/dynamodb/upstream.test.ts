import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connectUpstream } from '../../../local/dynamodb/upstream.ts';
import { serve } from '../../helpers/loopback-server.ts';

describe('a call of the server behind the guard', () => {
  it('ends nothing but itself when it is broken off within its answer', async () => {
    await using server = await serve((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Length': 10 }).write('half');
    });
    const upstream = connectUpstream(server.url);
    const leaving = new AbortController();
    const call = upstream.send({ headers: {}, body: Buffer.from('{}') }, leaving.signal);
    const [response] = await once(call, 'response');
    response.on('error', () => {});
    await once(response.resume(), 'data');

    leaving.abort();
    await new Promise((resolve) => response.once('close', resolve));

    expect([response.complete, call.destroyed]).toEqual([false, true]);
    upstream.close();
  });
});
