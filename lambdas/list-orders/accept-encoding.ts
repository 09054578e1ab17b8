/**
 * Whether to answer with gzip: the client accepts it, and does not like the plain answer better.
 * Without the header the answer stays plain, because a client that says nothing may not decode.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const weights = codingWeights(acceptEncoding ?? '');
  const any = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0;
  // Named nowhere, "identity" is acceptable but not asked for.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity;
}

const coding = /^([^\s;,]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

/** Each coding of the list with its weight; an element that is not one of the grammar is left out. */
function codingWeights(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of list.toLowerCase().split(',')) {
    const match = coding.exec(element.trim());
    if (match?.[1]) weights.set(match[1], Number(match[2] ?? 1));
  }
  return weights;
}
