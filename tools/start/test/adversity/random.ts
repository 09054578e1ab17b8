/** A pseudo-random generator, which produces the same numbers for the same seed. */
export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** An integer from `least` to below `limit`. */
  integer(least: number, limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
  chance(probability: number): boolean;
}

/**
 * Creates a generator with the algorithm mulberry32, which is small, fast and sufficient for tests.
 *
 * @param seed any texts and numbers; different seeds produce unrelated numbers
 */
export function randomFrom(...seed: (string | number)[]): Random {
  let state = hash(seed.join(' '));
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, limit: number) => least + Math.floor(next() * (limit - least));
  return {
    next,
    integer,
    pick: (values) => values[integer(0, values.length)]!,
    chance: (probability) => next() < probability,
  };
}

/** The FNV-1a hash of a text, in 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value | 0;
}
