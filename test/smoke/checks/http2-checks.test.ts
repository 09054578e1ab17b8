import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { streamDifferences } from '../../../smoke/checks/http2-checks.ts';
import { getOverHttp2 } from '../../../smoke/stage/http2-client.ts';

const list = '[{"id":1},{"id":2}]';
const server = createServer();

afterEach(() => {
  server.removeAllListeners('stream');
  server.close();
});

/** The differences in an answer over HTTP/2, which needs no TLS if client and server expect it. */
async function differencesOf(answer: (stream: ServerHttp2Stream) => void): Promise<string[]> {
  server.on('stream', answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return streamDifferences(
    await getOverHttp2(new URL(`http://127.0.0.1:${port}/v1/store/orders`), {}),
  );
}

describe('the end of a list over HTTP/2', () => {
  it.each([
    ['plain', list, {}],
    ['gzipped', gzipSync(list), { 'content-encoding': 'gzip' }],
  ])(
    'is right when the array is closed and the stream is not reset, %s',
    async (_, body, headers) => {
      const found = await differencesOf((stream) => {
        stream.respond({ ':status': 200, ...headers });
        stream.end(body);
      });

      expect(found).toEqual([]);
    },
  );

  it('is wrong when the stream is reset, and says what was expected and what came', async () => {
    const found = await differencesOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.on('error', () => {});
      stream.write(list, () => stream.destroy(new Error('broken off')));
    });

    expect(found).toEqual([expect.stringMatching(/stream error 2; expected status 200.*error 0$/)]);
  });

  it('is wrong when the array is not closed', async () => {
    const found = await differencesOf((stream) => {
      stream.respond({ ':status': 200 });
      stream.end(list.slice(0, -1));
    });

    expect(found).toEqual([expect.stringContaining('the array is not closed')]);
  });
});
