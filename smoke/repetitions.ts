/** Filters differences that were already reported, such as a header that all answers lack. */
export class Repetitions {
  readonly #known = new Set<string>();

  /** Returns the new differences, with a remark if some were reported before. */
  withoutKnown(details: readonly string[]): string[] {
    const fresh = details.filter((detail) => {
      const key = keyOf(detail);
      const isKnown = this.#known.has(key);
      this.#known.add(key);
      return !isKnown;
    });
    const isLess = fresh.length < new Set(details).size;
    return [...fresh, ...(isLess ? [reportedAbove] : [])];
  }
}

const reportedAbove = 'and what is reported above of another answer';

/** The key by which differences are equal: without the place and without the value of a header. */
function keyOf(detail: string): string {
  const difference = detail.replace(/ \([^()]*\)$/, '');
  if (!/^(header |(x-)?ratelimit)/.test(difference)) return difference;
  return difference
    .replace(/^header /, '')
    .replace(/ missing$/, ' absent')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/\d+/g, '0');
}
