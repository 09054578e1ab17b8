import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { parseStreamedResult } from '../../../local/integrations/streamed-result.ts';

const nul = '\0'.repeat(8);
const prelude = JSON.stringify({ statusCode: 201, headers: { 'Content-Type': 'a/b' } });
const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const parse = async (source: Readable) => {
  const answer = await parseStreamedResult(source);
  return { ...answer, body: answer.body as Readable };
};
const textOf = async (source: Readable) => (await buffer((await parse(source)).body)).toString();

describe('streamed result', () => {
  it.each([
    ['in one piece', [`${prelude}${nul}body`]],
    ['split within the prelude', [prelude.slice(0, 5), `${prelude.slice(5)}${nul}`, 'body']],
    ['split within the delimiter', [`${prelude}\0\0\0`, '\0\0\0\0\0bo', 'dy']],
    ['byte by byte', [...`${prelude}${nul}body`]],
  ])('is read %s', async (_, chunks) => {
    const { statusCode, headers, body } = await parse(streamOf(...chunks));

    expect([statusCode, headers]).toEqual([201, [['Content-Type', 'a/b']]]);
    expect((await buffer(body)).toString()).toBe('body');
  });

  it('may have no body', async () => {
    expect(await textOf(streamOf(prelude, nul))).toBe('');
  });

  it('may contain the delimiter again in its body', async () => {
    expect(await textOf(streamOf(`${prelude}${nul}a${nul}b`))).toBe(`a${nul}b`);
  });

  it('sends its cookies as headers', async () => {
    const withCookies = JSON.stringify({ statusCode: 200, cookies: ['a=1', 'b=2'] });

    const { headers } = await parse(streamOf(withCookies, nul));

    expect(headers).toEqual([
      ['Content-Type', 'application/json'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
  });

  it.each([
    ['has no delimiter', ['{"statusCode":200}']],
    ['is empty', []],
    ['has a prelude that is no JSON', [`oops${nul}`]],
    ['has a prelude with a bad status', [`{"statusCode":"x"}${nul}`]],
    ['has a prelude above 16 KB', [`{"a":"${'x'.repeat(17_000)}"}${nul}`]],
    ['goes on without a delimiter', Array.from({ length: 100 }, () => 'x'.repeat(1_000))],
  ])('that %s is malformed: 502', async (_, chunks) => {
    const fault = parse(streamOf(...chunks));

    await expect(fault).rejects.toMatchObject({ type: 'INTEGRATION_FAILURE', status: 502 });
  });

  it('breaks where its source breaks', async () => {
    const source = Readable.from(
      (async function* () {
        yield Buffer.from(`${prelude}${nul}bo`);
        throw new Error('broken');
      })(),
    );

    await expect(textOf(source)).rejects.toThrow('broken');
  });

  it('closes its source when it is closed', async () => {
    const source = new Readable({ read() {} });
    source.push(`${prelude}${nul}bo`);

    const { body } = await parse(source);
    body.destroy();

    await new Promise((resolve) => source.once('close', resolve));
    expect(source.destroyed).toBe(true);
  });
});
