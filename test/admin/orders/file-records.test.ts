import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type FileRecord,
  fileStart,
  splitArray,
  splitLines,
} from '../../../admin/orders/file-records.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function collect(records: AsyncGenerator<FileRecord>): Promise<FileRecord[]> {
  const found: FileRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

const elementsOf = (text: string, size = 7) =>
  collect(splitArray(inChunks(Buffer.from(text), size), fileStart));

/** Any JSON value: the splitter must not care whether it is an order. */
const element = fc.oneof(
  fc.jsonValue(),
  fc.record({ id: fc.bigInt().map(Number), shipDate: fc.string({ unit: 'binary' }) }),
);

describe('splitLines', () => {
  it('finds the same lines however the bytes arrive, and can start again behind each', async () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));

    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));

        const records = await collect(splitLines(inChunks(bytes, size), fileStart));

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
    const records = await collect(splitLines(inChunks(Buffer.from('one\ntwo'), 2), fileStart));

    expect(records).toEqual([
      { text: 'one', line: 1, end: { offset: 4, line: 2 } },
      { text: 'two', line: 2, end: { offset: 7, line: 2 } },
    ]);
  });

  it('refuses to gather a line without an end', async () => {
    const endless = collect(splitLines(inChunks(Buffer.alloc(200_000, 'x'), 10_000), fileStart));

    await expect(endless).rejects.toThrow('line 1: no order is longer than 65536 bytes');
  });
});

describe('splitArray', () => {
  it('finds the same elements however the bytes arrive, and can start again behind each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(element),
        fc.constantFrom(undefined, 1, 2),
        fc.integer({ min: 1, max: 40 }),
        async (elements, indent, size) => {
          const bytes = Buffer.from(`\ufeff ${JSON.stringify(elements, null, indent)}\n`);

          const records = await collect(splitArray(inChunks(bytes, size), fileStart));

          expect(records.map(({ text }) => JSON.parse(text))).toEqual(
            JSON.parse(JSON.stringify(elements)),
          );
          for (const [index, { end }] of records.entries()) {
            const rest = await collect(splitArray(inChunks(bytes.subarray(end.offset), size), end));
            expect(rest).toEqual(records.slice(index + 1));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('counts lines as an editor does', async () => {
    const records = await elementsOf('[\n  {\n    "id": 1\n  },\n\n  {"id": 2}, {"id": 3}\n]\n');

    expect(records.map(({ line }) => line)).toEqual([2, 6, 6]);
  });

  it('goes on behind an element that is no JSON', async () => {
    const records = await elementsOf('[{"id":1},{"id":oops},{"id":3}]');

    expect(records.map(({ text }) => text)).toEqual(['{"id":1}', '{"id":oops}', '{"id":3}']);
  });

  it.each([
    ['', 'line 1: the file ends before its array does: it is cut off'],
    ['[{"id":1},\n{"id":2}', 'line 2: the file ends before its array does: it is cut off'],
    ['[{"id":1},\n{"id":', 'line 2: the file ends before its array does: it is cut off'],
    ['{"id":1}', 'line 1: a JSON array starts with ['],
    ['[{"id":1},]', 'line 1: "]" stands where element should'],
    ['[,{"id":1}]', 'line 1: "," stands where element or end should'],
    ['[{"id":1}\n{"id":2}]', 'line 2: a comma is missing between two elements'],
    ['[{"id":1}]\n[{"id":2}]', 'line 2: there is text behind the closing ]'],
  ])('says where the structure of %p is lost', async (text, message) => {
    await expect(elementsOf(text)).rejects.toThrow(message);
  });
});
