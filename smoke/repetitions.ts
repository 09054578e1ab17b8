/** What was reported already: a header that all answers lack is one difference and not thirty. */
export class Repetitions {
  readonly #known = new Set<string>();

  /** Leaves out what was reported before, and says that there was some. */
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

/** The difference without where it is and, where it is about a header, without the header's value. */
function keyOf(detail: string): string {
  const difference = detail.replace(/ \([^()]*\)$/, '');
  if (!/^(header |(x-)?ratelimit)/.test(difference)) return difference;
  return difference
    .replace(/^header /, '')
    .replace(/ missing$/, ' absent')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/\d+/g, '0');
}
