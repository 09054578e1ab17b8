/**
 * Whether a text matches a pattern in which `*` stands for any number of characters and `?` for one.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[$()+.[\\\]^{|}]/g, '\\$&');
  const source = escaped.replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
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
  const resource = segments.slice(arnSegments - 1).join(':');
  return segments.length < arnSegments
    ? segments
    : [...segments.slice(0, arnSegments - 1), resource];
}
