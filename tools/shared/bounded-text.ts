import { OperatorError } from './errors.ts';

const maxBytes = 1_048_576;

/**
 * Reads a text in which a key is looked for, such as standard input.
 *
 * @throws OperatorError when it is longer than 1 MiB, so that a large file or a stream that never ends
 *   takes neither the memory nor the time for ever
 */
export async function boundedText(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const data = Buffer.from(chunk as string);
    bytes += data.length;
    if (bytes > maxBytes) {
      throw new OperatorError('standard input: it is longer than 1 MiB', {
        remedy: 'give only the line with the API key',
      });
    }
    chunks.push(data);
  }
  return Buffer.concat(chunks).toString('utf8');
}
