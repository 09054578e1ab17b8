import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { boundedText } from '../bounded-text.ts';

const mebibyte = 1_048_576;

it.each<[string, (string | Buffer)[], string]>([
  ['nothing', [], ''],
  ['texts', ['one ', 'two'], 'one two'],
  ['bytes that divide a character', [Buffer.from([0xc3]), Buffer.from([0xa4])], 'ä'],
  ['as much as there may be', ['x'.repeat(mebibyte)], 'x'.repeat(mebibyte)],
])('is the whole of an input of %s', async (_, chunks, whole) => {
  expect(await boundedText(Readable.from(chunks))).toBe(whole);
});

it('refuses an endless input with one line that says what to give instead', async () => {
  let taken = 0;
  async function* endless() {
    while (taken < 20) {
      taken++;
      yield 'x'.repeat(mebibyte / 4);
    }
  }

  const read = boundedText(endless());

  await expect(read).rejects.toThrow(
    'standard input: it is longer than 1 MiB; give only the line with the API key',
  );
  expect(taken).toBe(5);
});
