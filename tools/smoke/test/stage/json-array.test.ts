import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { elementsOf } from '../../stage/json-array.ts';

/** The elements of a text, or of bytes, that arrive in chunks of a given size. */
async function split(text: string | Buffer, size = 7): Promise<string[]> {
  const bytes = Buffer.from(text as string);
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
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

  it('are not parsed, so digits are kept, and invalid JSON within them is passed on', async () => {
    expect(await split('[{"id":9223372036854775807},{"id":oops}]')).toEqual([
      '{"id":9223372036854775807}',
      '{"id":oops}',
    ]);
  });

  it('are returned up to the place where the array is malformed', async () => {
    const elements = elementsOf(Readable.from([Buffer.from('[{"id":1}{"id":2}]')]));

    expect((await elements.next()).value).toBe('{"id":1}');
    await expect(elements.next()).rejects.toThrow('the array is not closed: it ends with "{\\"id');
  });

  it.each([
    ...['', '["', '[{"id":1}', '{"id":1}', 'null', '[1]', '[{"id":1},]', '[,{"id":1}]'],
    ...['[{"id":1}[{"id":2}]', '[{"id":1}]]', '[{"id":1}][{"id":2}]', '[] x', '[{"id":{}}]'],
  ])('are refused in %p, which is not an array of orders', async (text) => {
    await expect(split(text)).rejects.toThrow(/^the array is not closed: it ends with "/);
  });

  it('are refused in bytes that are not UTF-8', async () => {
    const bytes = Buffer.from('[{"shipDate":"\xe4"}]', 'latin1');

    await expect(split(bytes)).rejects.toThrow('not valid for encoding utf-8');
  });
});
