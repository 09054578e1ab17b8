import fc from 'fast-check';

/** A character of Unicode. Half of a surrogate pair is none. */
const character = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Any text. fast-check's own unit `binary` is the same, and takes seconds for its first text. */
export const anyText = fc.string({ unit: character });
