import { UnreadableFileError } from '../../shared/errors.ts';
import {
  JsonArraySplitter,
  longestElementBytes,
  type TextPosition,
  textStart,
  tooLong,
} from '../../shared/json-array.ts';

/** One record's text, the line that it starts on, and the position behind it. */
export interface FileRecord {
  readonly text: string;
  readonly line: number;
  readonly end: TextPosition;
}

const newline = 0x0a;

/**
 * Splits a stream of bytes into its lines, which may end in CRLF.
 *
 * @param from where the stream starts in its file
 * @throws UnreadableFileError where a line is longer than any order
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
 * Splits a stream of bytes that is one JSON array into the texts of its elements.
 *
 * @param from where the stream starts in its file: at 0, or behind an element
 * @throws UnreadableFileError where the text is not a JSON array
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
