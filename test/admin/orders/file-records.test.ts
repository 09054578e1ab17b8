import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FileRecord, splitArray, splitLines } from '../../../admin/orders/file-records.ts';
import { UnreadableFileError } from '../../../shared/errors.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function collect(records: AsyncGenerator<FileRecord>): Promise<FileRecord[]> {
  const found: FileRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

const elementsOf = (text: string) => collect(splitArray(inChunks(Buffer.from(text), 7)));

describe('splitLines', () => {
  it('finds the same lines however the bytes arrive, and can start again behind each', async () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));

    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));

        const records = await collect(splitLines(inChunks(bytes, size)));

        expect(records.map(({ text }) => text)).toEqual(lines);
        expect(records.map((record) => record.line)).toEqual(lines.map((_, index) => index + 1));
        for (const [index, { end }] of records.entries()) {
          const rest = await collect(splitLines(inChunks(bytes.subarray(end.offset), size), end));
          expect(rest).toEqual(records.slice(index + 1));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('takes a last line without a newline', async () => {
    const records = await collect(splitLines(inChunks(Buffer.from('one\ntwo'), 2)));

    expect(records).toEqual([
      { text: 'one', line: 1, end: { offset: 4, line: 2 } },
      { text: 'two', line: 2, end: { offset: 7, line: 2 } },
    ]);
  });

  it('refuses to gather a line without an end', async () => {
    const endless = collect(splitLines(inChunks(Buffer.alloc(200_000, 'x'), 10_000)));

    await expect(endless).rejects.toThrow('line 1: no order is longer than 65536 bytes');
  });
});

describe('splitArray', () => {
  it('gives each element with its line, and where the file can be read on from', async () => {
    const text = '[\n{"id":1},\n{"id":2}]';

    const [first, second] = await elementsOf(text);
    const rest = await collect(splitArray(inChunks(Buffer.from(text.slice(10)), 7), first!.end));

    expect(first).toEqual({ text: '{"id":1}', line: 2, end: { offset: 10, line: 2 } });
    expect(rest).toEqual([second]);
  });

  it.each([
    ['', 'line 1: the array is not closed: the text is cut off'],
    ['[{"id":1},\n{"id":', 'line 2: the array is not closed: the text is cut off'],
    ['[{"id":1}\n{"id":2}]', 'line 2: a comma is missing between two elements'],
    ['[{"id":1}]\n[{"id":2}]', 'line 2: there is text behind the closing ]'],
  ])('says on which line the structure of %p is lost', async (text, message) => {
    await expect(elementsOf(text)).rejects.toThrow(new UnreadableFileError(message));
  });
});
