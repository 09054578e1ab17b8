import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { parseStreamedResult } from '../../../aws/api-gateway/proxy-result.ts';

const nul = '\0'.repeat(8);
/** A body that contains the delimiter again. */
const text = `bo${nul}dy`;
const prelude = JSON.stringify({ statusCode: 201, headers: { 'Content-Type': 'a/b' } });
const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('streamed result', () => {
  it.each([
    ['in one piece', [`${prelude}${nul}${text}`]],
    ['split within the delimiter', [`${prelude}\0\0\0`, `\0\0\0\0\0bo${nul}`, 'dy']],
    ['byte by byte', [...`${prelude}${nul}${text}`]],
    ['with a prelude of 16 KB', [`${prelude.padEnd(16_384)}${nul}${text}`]],
  ])('is read %s', async (_, chunks) => {
    const { statusCode, headers, body } = await parseStreamedResult(streamOf(...chunks));

    expect([statusCode, headers]).toEqual([201, [['Content-Type', 'a/b']]]);
    expect((await buffer(body)).toString()).toBe(text);
  });

  it.each([
    ['has no delimiter', ['{"statusCode":200}'], 'ended without a delimiter'],
    ['has a prelude that is no JSON', [`oops${nul}`], 'SyntaxError'],
    ['has a line break in a header', [`{"headers":{"X":"a\\nb"}}${nul}`], 'Invalid character'],
    ['has a prelude above 16 KB', [`{"a":"${'x'.repeat(17_000)}"}${nul}`], 'within 16384 bytes'],
    ['goes on without a delimiter', Array(100).fill('x'.repeat(1_000)), 'within 16384 bytes'],
  ])(
    'that %s is malformed: 502, with the cause for the log, and is closed',
    async (_, chunks, cause) => {
      const source = streamOf(...chunks);

      const fault = await parseStreamedResult(source).catch((error) => error);

      expect(fault).toMatchObject({ type: 'INTEGRATION_FAILURE', builtIn: { status: 502 } });
      expect(String(fault.cause)).toContain(cause);
      expect(source.destroyed).toBe(true);
    },
  );
});
