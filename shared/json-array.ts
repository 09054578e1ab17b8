/**
 * Splits the text of a JSON array into the texts of its elements while it arrives, so that an array
 * of any length takes the memory of one chunk. The elements themselves are not parsed: their
 * numbers keep every digit.
 */
export class JsonArraySplitter {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isClosed = false;
  #pending = '';
  #count = 0;

  /** The elements that this chunk completes. Throws where the text is no JSON array. */
  push(chunk: string): string[] {
    const elements: string[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const character = chunk.charCodeAt(i);
      if (this.#isInString) {
        this.#passStringCharacter(character);
      } else if (this.#depth === 1 && (character === comma || character === closeBracket)) {
        this.#complete(chunk.slice(start, i), character === closeBracket, elements);
        start = i + 1;
      } else if (this.#depth === 0) {
        this.#passOutside(character);
        start = i + 1;
      } else {
        this.#passInside(character);
      }
    }
    if (this.#depth > 0) this.#pending += chunk.slice(start);
    return elements;
  }

  /** Throws unless the array was closed: a body that was cut off is no shorter array. */
  end(): void {
    if (!this.#isClosed) throw new SyntaxError('the array is not closed: the body was cut off');
  }

  /** How many elements were completed so far. */
  get count(): number {
    return this.#count;
  }

  #passStringCharacter(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === backslash) this.#isEscaped = true;
    else if (character === quote) this.#isInString = false;
  }

  #passOutside(character: number): void {
    if (isWhitespace(character)) return;
    if (character !== openBracket || this.#isClosed) {
      throw new SyntaxError('the body is no single JSON array');
    }
    this.#depth = 1;
  }

  #passInside(character: number): void {
    if (character === quote) this.#isInString = true;
    else if (character === openBracket || character === openBrace) this.#depth++;
    else if (character === closeBracket || character === closeBrace) this.#depth--;
  }

  #complete(rest: string, isLast: boolean, elements: string[]): void {
    const element = (this.#pending + rest).trim();
    this.#pending = '';
    if (isLast) {
      this.#depth = 0;
      this.#isClosed = true;
    }
    if (isLast && this.#count === 0 && element === '') return;
    this.#count++;
    elements.push(element);
  }
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function isWhitespace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}
