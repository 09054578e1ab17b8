/** The scan to send to the server, or its answer when the server is not needed. */
type ScanPlan = { readonly body: Buffer } | { readonly answer: string };

interface ScanInput {
  readonly Limit?: unknown;
  readonly Segment?: unknown;
  readonly TotalSegments?: unknown;
}

/**
 * The embedded server takes about 15 ms for a page of this many small items, and writes wait for that
 * long. By default its pages contain 1 MB of items; clients have to accept pages of any size.
 */
const pageMaxItems = 2_000;

const emptyPage = JSON.stringify({ Count: 0, Items: [], ScannedCount: 0 });

/**
 * Changes a scan so that it is short on a server that executes one call at a time.
 *
 * A parallel scan is no faster there, and for each page of a segment the server reads items of other
 * segments as well. DynamoDB leaves the distribution of items to the server, so here the first
 * segment contains all items and the others are empty.
 */
export function planScan(body: Buffer): ScanPlan {
  const input = parsed(body);
  if (!input) return { body };
  const { Segment, TotalSegments, ...rest } = input;
  // An invalid scan is sent unchanged, so that the server answers with its own error.
  const isSegment = isCount(TotalSegments) && isCount(Segment) && Segment < TotalSegments;
  if (isSegment && Segment > 0) return { answer: emptyPage };
  const Limit = isCount(rest.Limit) ? Math.min(rest.Limit, pageMaxItems) : rest.Limit;
  const plan = { ...(isSegment ? rest : input), Limit: Limit ?? pageMaxItems };
  return { body: Buffer.from(JSON.stringify(plan)) };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Parses a body; null or undefined when it is not a JSON object. */
function parsed(body: Buffer): ScanInput | null | undefined {
  try {
    const input = JSON.parse(body.toString('utf8'));
    return typeof input === 'object' ? input : undefined;
  } catch {
    return undefined;
  }
}
