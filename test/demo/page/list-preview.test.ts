import { describe, expect, it } from '@jest/globals';
import { indentJson, parseShownOrder, previewList } from '../../../demo/page/list-preview.ts';

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

describe('preview of a list', () => {
  it('keeps the first orders and counts the rest', async () => {
    const body = streamOf('[{"id":1},{"i', 'd":2},', '{"id":3}]');

    const preview = await previewList(body, { kept: 2 });

    expect(preview).toEqual({ first: ['{"id":1}', '{"id":2}'], orders: 3, bytes: 28 });
  });

  it('refuses a list that broke off', async () => {
    const preview = previewList(streamOf('[{"id":1},'), { kept: 2 });

    await expect(preview).rejects.toThrow('the array is not closed');
  });

  it('shows every digit of an id', () => {
    expect(parseShownOrder('{"id":9223372036854775807,"petId":-1,"quantity":2}')).toEqual({
      id: '9223372036854775807',
      petId: '-1',
      quantity: 2,
    });
  });

  it('indents JSON without rounding an id, and leaves texts that look like one alone', () => {
    const text = '[{"id":9007199254740993,"shipDate":"\\"id\\":5"}]';

    expect(indentJson(text)).toBe(
      '[\n  {\n    "id": 9007199254740993,\n    "shipDate": "\\"id\\":5"\n  }\n]',
    );
  });

  it('leaves text that is no JSON as it is', () => {
    expect(indentJson('not JSON')).toBe('not JSON');
  });
});
