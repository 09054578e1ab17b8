import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof randomFrom>;

/** Creates a generator of pseudo-random numbers. @param seed determines all of them */
export function randomFrom(...seed: (string | number)[]) {
  let numbers = 0;
  /** A number from 0 to below 1. */
  const next = () => {
    const text = [...seed, numbers++].join(' ');
    return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
  };
  /** An integer from `least` to below `limit`. */
  const integer = (least: number, limit: number) => least + Math.floor(next() * (limit - least));
  return {
    next,
    integer,
    pick: <Value>(values: readonly Value[]): Value => values[integer(0, values.length)]!,
    chance: (probability: number) => next() < probability,
  };
}
