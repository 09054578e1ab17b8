import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { JsonArraySplitter } from '../../stage/json-array.ts';

/** Splits a text in chunks of a given size. Returns the text of each element. */
function split(text: string, size = 7): string[] {
  const splitter = new JsonArraySplitter();
  const bytes = Buffer.from(text);
  const elements = [];
  for (let start = 0; start < bytes.length; start += size) {
    for (const element of splitter.push(bytes.subarray(start, start + size))) {
      elements.push(new TextDecoder().decode(element));
    }
  }
  splitter.end();
  return elements;
}

/** Any JSON value, because the splitter does not know what an order is. */
const element = fc.oneof(
  fc.jsonValue(),
  fc.record({ id: fc.bigInt().map(Number), shipDate: anyText() }),
);

describe('JSON array splitter', () => {
  it('finds the same elements however the bytes arrive', () => {
    const indents = fc.constantFrom(undefined, 1, 2);
    const sizes = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(fc.array(element), indents, sizes, (values, indent, size) => {
        const elements = split(` ${JSON.stringify(values, null, indent)}\n`, size);

        const found = elements.map((text) => JSON.parse(text));
        expect(found).toEqual(JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 60 },
    );
  });

  it('leaves the digits of a number alone', () => {
    expect(split('[{"id":9223372036854775807}]\n')).toEqual(['{"id":9223372036854775807}']);
  });

  it('leaves an element that is no JSON to be found by whoever parses it', () => {
    const elements = split('[{"id":1},{"id":oops},{"id":3}]');

    expect(elements).toEqual(['{"id":1}', '{"id":oops}', '{"id":3}']);
  });

  it('hands out what comes before the place where the structure is lost', () => {
    const splitter = new JsonArraySplitter();
    const found = splitter.push(Buffer.from('[{"id":1}{"id":2}]'));

    expect(new TextDecoder().decode(found.next().value!)).toBe('{"id":1}');
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
