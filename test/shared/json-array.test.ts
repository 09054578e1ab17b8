import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonArraySplitter } from '../../shared/json-array.ts';

function split(chunks: readonly string[]): string[] {
  const splitter = new JsonArraySplitter();
  const elements = chunks.flatMap((chunk) => splitter.push(chunk));
  splitter.end();
  return elements;
}

describe('JSON array splitter', () => {
  it('finds the elements of any array, however it was cut', () => {
    const cutArray = fc.tuple(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 20 }));
    fc.assert(
      fc.property(cutArray, ([values, size]) => {
        const text = JSON.stringify(values, null, size % 2);
        const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];

        const elements = split(chunks);

        expect(elements.map((element) => JSON.parse(element))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('leaves the digits of a number alone', () => {
    const elements = split(['[{"id":92233720368', '54775807}]\n']);

    expect(elements).toEqual(['{"id":9223372036854775807}']);
  });

  it.each([
    ['ends early', '[{"id":1}'],
    ['ends within a string', '["'],
    ['is empty', ''],
  ])('refuses a body that %s', (_what, text) => {
    expect(() => split([text])).toThrow('the array is not closed');
  });

  it.each(['{"id":1}', '[1][2]', '[] x', 'null'])('refuses %s', (text) => {
    expect(() => split([text])).toThrow('no single JSON array');
  });

  it('leaves an element that is no JSON to be found by whoever parses it', () => {
    expect(split(['[1,,2]'])).toEqual(['1', '', '2']);
  });
});
