import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { elementsOf } from '../../stage/json-array.ts';

/** The elements of a text that arrives in chunks of a given size. */
async function split(text: string, size = 7): Promise<string[]> {
  const chunks = async function* () {
    for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
  };
  const elements = [];
  for await (const element of elementsOf(chunks())) elements.push(element);
  return elements;
}

describe('the elements of a JSON array', () => {
  it('are the same however the text arrives', async () => {
    const orders = fc.array(fc.record({ id: fc.integer(), shipDate: anyText() }));
    const indents = fc.constantFrom(undefined, 1, 2);
    const sizes = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(orders, indents, sizes, async (values, indent, size) => {
        const elements = await split(` ${JSON.stringify(values, null, indent)}\n`, size);

        expect(elements.map((text) => JSON.parse(text))).toEqual(values);
      }),
      { numRuns: 60 },
    );
  });

  it('are not parsed, so that digits are kept and wrong JSON is found by whoever parses it', async () => {
    expect(await split('[{"id":9223372036854775807},{"id":oops}]')).toEqual([
      '{"id":9223372036854775807}',
      '{"id":oops}',
    ]);
  });

  it('are handed out up to the place where the structure is lost', async () => {
    const elements = elementsOf(ReadableStream.from(['[{"id":1}{"id":2}]']));

    expect((await elements.next()).value).toBe('{"id":1}');
    await expect(elements.next()).rejects.toThrow('the array is not closed: it ends with "{\\"id');
  });

  it.each([
    ...['', '["', '[{"id":1}', '{"id":1}', 'null', '[1]', '[{"id":1},]', '[,{"id":1}]'],
    ...['[{"id":1}[{"id":2}]', '[{"id":1}]]', '[{"id":1}][{"id":2}]', '[] x', '[{"id":{}}]'],
  ])('are missed in %p, which is no array of orders', async (text) => {
    await expect(split(text)).rejects.toThrow(/^the array is not closed: it ends with "/);
  });

  it('are not waited for without end', async () => {
    await expect(split(`[{"${'x'.repeat(70_000)}`, 10_000)).rejects.toThrow('no order comes after');
  });
});
