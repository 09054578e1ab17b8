/**
 * Whether a text matches a pattern in which `*` stands for any number of characters and `?` for one.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  // On a mismatch, the last `*` takes one more character. This is quadratic at worst, while a
  // backtracking regular expression can take exponential time.
  let at = 0;
  let patternAt = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (at < text.length) {
    const symbol = pattern[patternAt];
    if (symbol === '*') {
      starAt = patternAt++;
      resumeAt = at;
    } else if (symbol === '?' || symbol === text[at]) {
      patternAt++;
      at++;
    } else if (starAt !== -1) {
      patternAt = starAt + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (pattern[patternAt] === '*') patternAt++;
  return patternAt === pattern.length;
}

const arnSegments = 6;

/**
 * Whether an ARN matches a policy's pattern. A wildcard does not match across the segments of the
 * ARN, except at the end of a pattern that has fewer segments.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
 */
export function matchesArn(pattern: string, arn: string): boolean {
  const patterns = segmentsOf(pattern);
  if (patterns.length < arnSegments) return pattern.endsWith('*') && matchesPattern(pattern, arn);
  const segments = segmentsOf(arn);
  return patterns.every((segment, index) => matchesPattern(segment, segments[index] ?? ''));
}

/** The last segment, the resource itself, may contain colons. */
function segmentsOf(arn: string): string[] {
  const segments = arn.split(':');
  return [
    ...segments.slice(0, arnSegments - 1),
    ...(segments.length < arnSegments ? [] : [segments.slice(arnSegments - 1).join(':')]),
  ];
}
