/** Far more than any order needs. A longer element is an error, so that memory stays bounded. */
const longestElementBytes = 65_536;
const tooLong = `no order is longer than ${longestElementBytes} bytes`;

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

type Expected = 'array' | 'element' | 'element or end' | 'comma or end' | 'nothing';

/**
 * Splits the bytes of a JSON array into its elements while they arrive, so that it needs only the
 * memory of a chunk and an incomplete element. It does not parse the elements, so an element that is
 * not valid JSON is found by the caller who parses it. An element that is divided between chunks is
 * scanned again from its start with the next chunk.
 */
export class JsonArraySplitter {
  #expected: Expected = 'array';
  #rest: Uint8Array = new Uint8Array();

  /**
   * Yields the elements that this chunk completes. All of them must be consumed before the next call.
   *
   * @throws SyntaxError where the text is not a JSON array, after the elements before that position
   */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    const data = this.#rest.length > 0 ? joined(this.#rest, chunk) : chunk;
    let position = 0;
    while (position < data.length) {
      const isBetween = this.#passBetween(data[position]!);
      const end = isBetween ? position + 1 : findElementEnd(data, position);
      if (end === -1) break;
      if (!isBetween) {
        this.#expected = 'comma or end';
        yield data.subarray(position, end);
      }
      position = end;
    }
    this.#rest = data.subarray(position);
    if (this.#rest.length > longestElementBytes) throw new SyntaxError(tooLong);
  }

  /** Ends the text. @throws SyntaxError if the array is not closed, so that it may be truncated */
  end(): void {
    if (this.#expected === 'nothing') return;
    throw new SyntaxError('the array is not closed: the text is cut off');
  }

  /** Consumes a byte between elements. Returns false if the byte is the start of an element. */
  #passBetween(byte: number): boolean {
    if (isWhitespace(byte)) return true;
    if (byte === comma || byte === closeBracket || this.#expected === 'array') {
      this.#expected = expectedAfter(byte, this.#expected);
      return true;
    }
    if (this.#expected.startsWith('element')) return false;
    throw new SyntaxError(
      this.#expected === 'nothing'
        ? 'there is text behind the closing ]'
        : 'a comma is missing between two elements',
    );
  }
}

function expectedAfter(byte: number, expected: Expected): Expected {
  if (expected === 'array') {
    if (byte === openBracket) return 'element or end';
    throw new SyntaxError('a JSON array starts with [');
  }
  if (byte === comma && expected === 'comma or end') return 'element';
  if (byte === closeBracket && expected.endsWith('or end')) return 'nothing';
  throw new SyntaxError(`"${String.fromCharCode(byte)}" stands where ${expected} should`);
}

/** The index after the element that starts at `start`; -1 if the element is incomplete. */
function findElementEnd(data: Uint8Array, start: number): number {
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

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
