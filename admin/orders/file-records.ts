import { UnreadableFileError } from '../../shared/errors.ts';
import {
  JsonArraySplitter,
  longestElementBytes,
  type TextPosition,
  textStart,
  tooLong,
} from '../../shared/json-array.ts';

/** The text of a record, the number of its first line, and the position after it. */
export interface FileRecord {
  readonly text: string;
  readonly line: number;
  readonly end: TextPosition;
}

const newline = 0x0a;

/**
 * Splits a stream of bytes into its lines, which may end in CRLF.
 *
 * @param from the position in the file at which the stream starts
 * @throws UnreadableFileError when a line is longer than any order can be
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  from = textStart,
): AsyncGenerator<FileRecord> {
  let { offset, line } = from;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      const next = { offset: offset + end + 1, line: line + 1 };
      yield { text: data.toString('utf8', start, end), line, end: next };
      line = next.line;
      start = end + 1;
    }
    rest = data.subarray(start);
    offset += start;
    if (rest.length > longestElementBytes) throw unreadable(line, tooLong);
  }
  if (rest.length > 0) {
    yield { text: rest.toString('utf8'), line, end: { offset: offset + rest.length, line } };
  }
}

/**
 * Splits a stream of bytes that contains a JSON array into the texts of its elements.
 *
 * @param from the position in the file at which the stream starts: 0, or the end of an element
 * @throws UnreadableFileError when the text is not a JSON array
 */
export async function* splitArray(
  chunks: AsyncIterable<Uint8Array>,
  from = textStart,
): AsyncGenerator<FileRecord> {
  const splitter = new JsonArraySplitter(from);
  const decoder = new TextDecoder();
  try {
    for await (const chunk of chunks) {
      for (const { bytes, line, end } of splitter.push(chunk)) {
        yield { text: decoder.decode(bytes), line, end };
      }
    }
    splitter.end();
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable(splitter.line, error.message) : error;
  }
}

function unreadable(line: number, reason: string): UnreadableFileError {
  return new UnreadableFileError(`line ${line}: ${reason}`);
}
