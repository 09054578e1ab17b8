import { UnreadableFileError } from '../../shared/errors.ts';

/** A place in a file between two records. */
export interface FilePosition {
  /** Bytes before it. */
  readonly offset: number;
  /** The line that it is in, from 1. */
  readonly line: number;
}

/** One record's text, where it starts, and the position behind it. */
export interface FileRecord {
  readonly text: string;
  readonly line: number;
  readonly end: FilePosition;
}

export const fileStart: FilePosition = { offset: 0, line: 1 };

// Far above any order; what is longer is another kind of file, and must not fill the memory.
const recordMaxBytes = 65_536;

const byteOrderMark = Buffer.from('\ufeff');
const newline = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Splits a stream of bytes into its lines, which may end in CRLF.
 *
 * @param from where the stream starts in its file
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  from: FilePosition,
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
    refuseEndless(rest.length, line);
  }
  if (rest.length > 0) {
    yield { text: rest.toString('utf8'), line, end: { offset: offset + rest.length, line } };
  }
}

type Expected = 'array' | 'element' | 'element or end' | 'comma or end' | 'nothing';

/**
 * Splits a stream of bytes that is one JSON array into the texts of its elements, without parsing
 * them. An element that a chunk cuts in two is scanned again from its start with the next chunk.
 *
 * @param from where the stream starts in its file: at 0, or behind an element
 * @throws UnreadableFileError where the text is not a JSON array
 */
export async function* splitArray(
  chunks: AsyncIterable<Buffer>,
  from: FilePosition,
): AsyncGenerator<FileRecord> {
  let { offset, line } = from;
  let expected: Expected = offset === 0 ? 'array' : 'comma or end';
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const data: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let position = 0;
    while (position < data.length) {
      const byte = data[position]!;
      if (isWhitespace(byte) || isByteOrderMark(byte, offset + position)) {
        if (byte === newline) line++;
        position++;
      } else if (isPunctuation(byte, expected)) {
        expected = expectedAfter(byte, expected, line);
        position++;
      } else {
        refuseElementUnless(expected, line);
        const end = findElementEnd(data, position);
        if (end === -1) break;
        const startLine = line;
        line += countNewlines(data, position, end);
        const text = data.toString('utf8', position, end);
        yield { text, line: startLine, end: { offset: offset + end, line } };
        expected = 'comma or end';
        position = end;
      }
    }
    rest = data.subarray(position);
    offset += position;
    refuseEndless(rest.length, line);
  }
  if (expected !== 'nothing') {
    throw unreadable(line, 'the file ends before its array does: it is cut off');
  }
}

// Between elements: brackets and commas. An array may itself be a (bad) element.
function isPunctuation(byte: number, expected: Expected): boolean {
  if (byte === openBracket) return expected === 'array';
  return byte === comma || byte === closeBracket;
}

function expectedAfter(byte: number, expected: Expected, line: number): Expected {
  if (byte === openBracket) return 'element or end';
  if (byte === comma && expected === 'comma or end') return 'element';
  if (byte === closeBracket && expected.endsWith('or end')) return 'nothing';
  throw unreadable(line, `"${String.fromCharCode(byte)}" stands where ${expected} should`);
}

function refuseElementUnless(expected: Expected, line: number): void {
  if (expected === 'array') throw unreadable(line, 'a JSON array starts with [');
  if (expected === 'comma or end')
    throw unreadable(line, 'a comma is missing between two elements');
  if (expected === 'nothing') throw unreadable(line, 'there is text behind the closing ]');
}

/** The index behind the element that starts at `start`, or -1 when `data` ends before it does. */
function findElementEnd(data: Buffer, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let position = start; position < data.length; position++) {
    const byte = data[position]!;
    if (isInString) {
      if (byte === backslash) position++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) {
      isInString = true;
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
    } else if (depth === 0 && (byte === comma || byte === closeBracket)) {
      return position;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth <= 0) return position + 1;
    }
  }
  return -1;
}

function countNewlines(data: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = data.indexOf(newline, start); at !== -1 && at < end; count++) {
    at = data.indexOf(newline, at + 1);
  }
  return count;
}

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;
}

function isByteOrderMark(byte: number, offset: number): boolean {
  return offset < byteOrderMark.length && byte === byteOrderMark[offset];
}

function refuseEndless(bytes: number, line: number): void {
  if (bytes > recordMaxBytes) {
    throw unreadable(line, `no order is longer than ${recordMaxBytes} bytes`);
  }
}

function unreadable(line: number, reason: string): UnreadableFileError {
  return new UnreadableFileError(`line ${line}: ${reason}`);
}
