import type { RequestListener } from 'node:http';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { serve } from '../../../test/helpers/loopback-server.ts';
import type { Send } from '../../smoke/stage/http-client.ts';
import { Differs } from '../evidence.ts';
import {
  atOnce,
  cancellationCount,
  orderLines,
  percentiles,
  timedCancellations,
  timedList,
} from '../orders.ts';

const orders = `[${[...orderLines()].map((line) => line.trim()).join()}]`;

async function listFrom(handle: RequestListener, coding: string): Promise<string> {
  await using server = await serve(handle);
  return await timedList(new URL(server.url), 'key', coding);
}

describe('a list', () => {
  it.each([
    ['identity', (text: string) => text],
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('that is whole as %s is as expected, with its size and times', async (coding, encode) => {
    const seen = await listFrom((request, response) => {
      expect(request.headers['accept-encoding']).toBe(coding);
      response.setHeader('content-encoding', coding).end(encode(orders));
    }, coding);

    expect(seen).toMatch(
      new RegExp(
        `^100000 orders as ${coding}, \\d+ bytes, first byte after \\d+ ms, whole after \\d+ ms$`,
      ),
    );
  });

  it('differs if it has another coding, fewer orders, or is an error', async () => {
    const plain: RequestListener = (_, response) => response.end(orders);
    const short: RequestListener = (_, response) => response.end('[{"id":1}]');
    const error: RequestListener = (_, response) => response.writeHead(503).end('{}');

    await expect(listFrom(plain, 'zstd')).rejects.toThrow(/^100000 orders as identity, /);
    await expect(listFrom(short, 'identity')).rejects.toThrow(/^1 orders as identity, /);
    await expect(listFrom(error, 'gzip')).rejects.toEqual(new Differs('503 {}'));
  });

  it('that is cut off is not as expected', async () => {
    const cut = listFrom((_, response) => {
      response.write(orders.slice(0, 1_000), () => response.destroy());
    }, 'identity');

    await expect(cut).rejects.toThrow();
  });
});

describe('cancellations', () => {
  const signal = new AbortController().signal;

  /** Answers every request but the tenth with 204. The requests that follow `renew` at once are slower. */
  function stage(tenth: number) {
    const paths = new Set<string>();
    let coldRequests = 0;
    const renew = async () => {
      coldRequests = atOnce;
    };
    const send: Send = async (question) => {
      paths.add(question.path);
      const status = paths.size === 10 ? tenth : 204;
      const durationMs = coldRequests-- > 0 ? 900 : 20;
      return { question, status, durationMs, headers: new Map(), text: '' };
    };
    return { paths, renew, send };
  }

  it('of different orders are measured with new and with warm environments', async () => {
    const { paths, renew, send } = stage(204);

    const seen = await timedCancellations(send, 'key', signal, renew);

    expect(paths.size).toBe(cancellationCount);
    expect(seen).toBe(
      '1000 × 204; cold p50 900 ms, p90 900 ms, p99 900 ms; warm p50 20 ms, p90 20 ms, p99 20 ms',
    );
  });

  it('differ if one fails', async () => {
    const { renew, send } = stage(503);

    const seen = timedCancellations(send, 'key', signal, renew);

    await expect(seen).rejects.toThrow(/^999 × 204, 1 × 503; /);
  });

  it('stop when the run is interrupted', async () => {
    const { paths, renew, send } = stage(204);

    const seen = timedCancellations(send, 'key', AbortSignal.abort(), renew);

    await expect(seen).rejects.toThrow('aborted');
    expect(paths.size).toBe(0);
  });
});

it('a percentile is a sample that this part of the samples does not exceed', () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);

  expect(percentiles(samples)).toBe('p50 50 ms, p90 90 ms, p99 99 ms');
  expect(percentiles([7])).toBe('p50 7 ms, p90 7 ms, p99 7 ms');
});
