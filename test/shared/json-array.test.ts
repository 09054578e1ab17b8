import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonArraySplitter, textStart } from '../../shared/json-array.ts';
import { anyText } from '../helpers/any-text.ts';

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Splits a text in chunks of a given size. Returns the text, line and end of each element. */
function split(text: string | Uint8Array, size = 7, from = textStart) {
  const splitter = new JsonArraySplitter(from);
  const bytes = Buffer.from(text);
  const elements = [];
  for (let start = 0; start < bytes.length; start += size) {
    for (const element of splitter.push(bytes.subarray(start, start + size))) {
      elements.push({ ...element, bytes: undefined, text: decode(element.bytes) });
    }
  }
  splitter.end();
  return elements;
}

const textsOf = (...parameters: Parameters<typeof split>) =>
  split(...parameters).map(({ text }) => text);

/** Any JSON value, because the splitter does not know what an order is. */
const element = fc.oneof(
  fc.jsonValue(),
  fc.record({ id: fc.bigInt().map(Number), shipDate: anyText() }),
);

describe('JSON array splitter', () => {
  it('finds the same elements however the bytes arrive, and can start again behind each', () => {
    const indents = fc.constantFrom(undefined, 1, 2);
    const sizes = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(fc.array(element), indents, sizes, (values, indent, size) => {
        const bytes = Buffer.from(`\ufeff ${JSON.stringify(values, null, indent)}\n`);

        const elements = split(bytes, size);

        const found = elements.map(({ text }) => JSON.parse(text));
        expect(found).toEqual(JSON.parse(JSON.stringify(values)));
        for (const [index, { end }] of elements.entries()) {
          const rest = split(bytes.subarray(end.offset), size, end);
          expect(rest).toEqual(elements.slice(index + 1));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leaves the digits of a number alone', () => {
    expect(textsOf('[{"id":9223372036854775807}]\n')).toEqual(['{"id":9223372036854775807}']);
  });

  it('leaves an element that is no JSON to be found by whoever parses it', () => {
    const elements = textsOf('[{"id":1},{"id":oops},{"id":3}]');

    expect(elements).toEqual(['{"id":1}', '{"id":oops}', '{"id":3}']);
  });

  it('counts lines as an editor does', () => {
    const elements = split('[\n  {\n    "id": 1\n  },\n\n  {"id": 2}, {"id": 3}\n]\n');

    expect(elements.map(({ line }) => line)).toEqual([2, 6, 6]);
  });

  it('hands out what comes before the place where the structure is lost', () => {
    const splitter = new JsonArraySplitter();
    const found = splitter.push(Buffer.from('[{"id":1}{"id":2}]'));

    expect(found.next().value).toMatchObject({ line: 1, end: { offset: 9 } });
    expect(() => found.next()).toThrow('a comma is missing');
  });

  it.each([
    ['', 'the array is not closed: the text is cut off'],
    ['["', 'the array is not closed: the text is cut off'],
    ['[{"id":1}', 'the array is not closed: the text is cut off'],
    ['{"id":1}', 'a JSON array starts with ['],
    ['null', 'a JSON array starts with ['],
    ['[{"id":1},]', '"]" stands where element should'],
    ['[,{"id":1}]', '"," stands where element or end should'],
    ['[{"id":1}{"id":2}]', 'a comma is missing between two elements'],
    ['[1][2]', 'there is text behind the closing ]'],
    ['[] x', 'there is text behind the closing ]'],
    [`["${'x'.repeat(70_000)}`, 'no order is longer than 65536 bytes'],
  ])('says where the structure of %p is lost', (text, message) => {
    expect(() => split(text, 10_000)).toThrow(new SyntaxError(message));
  });
});
