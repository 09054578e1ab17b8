import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { logLines } from '../../../local/functions/log-lines.ts';

it.each([
  ['in pieces', ['on', 'e\ntw', 'o\n\nth', 'ree'], ['one', 'two', '', 'three']],
  ['with an end', ['one\ntwo\n'], ['one', 'two']],
  ['without anything', [], []],
  ['with a letter in two pieces', [Buffer.from([0xc3]), Buffer.from([0xa4])], ['ä']],
])('the lines of an output that comes %s are logged', async (_, chunks, expected) => {
  const source = Readable.from(chunks, { objectMode: false });
  const lines: string[] = [];

  logLines(source, (line) => lines.push(line));
  await once(source, 'end');

  expect(lines).toEqual(expected);
});
