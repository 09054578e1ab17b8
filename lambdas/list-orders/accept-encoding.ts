/**
 * Whether the response is to be compressed: the client accepts gzip and gives it no lower weight
 * than `identity`. Without the header it is not, because the client may be unable to decompress.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const weights = codingWeights(acceptEncoding ?? '');
  const any = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0;
  // A list without "identity" accepts it, but does not prefer it to gzip.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity;
}

const coding = /^([^\s;,]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

/** The weight of each coding in the list, without the elements that do not follow the grammar. */
function codingWeights(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of list.toLowerCase().split(',')) {
    const match = coding.exec(element.trim());
    if (match?.[1]) weights.set(match[1], Number(match[2] ?? 1));
  }
  return weights;
}
