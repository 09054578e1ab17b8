import { describe, expect, it } from '@jest/globals';
import { previewList } from '../../../reference/browser/list-preview.ts';

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
});
