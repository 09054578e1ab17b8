import fc from 'fast-check';

const ranges: readonly [min: number, max: number][] = [
  [0, 0x7f],
  [0, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, 0x10ffff],
];

const codePoint = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max }))).map(
  (code) => String.fromCodePoint(code),
  (character) => (character as string).codePointAt(0)!,
);

/**
 * A text of any code points except halves of a surrogate pair. fast-check's own unit `binary` is the
 * same, but first makes a map of all code points, which takes longer than most tests.
 */
export const anyText = () => fc.string({ unit: codePoint });
