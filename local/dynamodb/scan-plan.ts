/** A scan as the server gets it: another one, or none because its answer is known. */
export type ScanPlan = { readonly body: Buffer } | { readonly answer: string };

interface ScanInput {
  readonly Limit?: unknown;
  readonly Segment?: unknown;
  readonly TotalSegments?: unknown;
}

/**
 * A page of so many small items takes the embedded server some 15 ms, and a write waits for it. That
 * the server takes 1 MB of them by default is as good a page as any other to a client.
 */
const pageMaxItems = 2_000;

const emptyPage = JSON.stringify({ Count: 0, Items: [], ScannedCount: 0 });

/**
 * Makes a scan one that a server that works serially is quickly done with.
 *
 * Segments gain nothing there, and each of their pages costs a pass over more than it returns. Which
 * items are in which segment is the server's to decide: here, the first segment has them all.
 */
export function planScan(body: Buffer): ScanPlan {
  const input = parsed(body);
  if (!input) return { body };
  const { Segment, TotalSegments, ...rest } = input;
  // A scan that is not valid gets the server's own answer.
  const isSegment = isCount(TotalSegments) && isCount(Segment) && Segment < TotalSegments;
  if (isSegment && Segment > 0) return { answer: emptyPage };
  const Limit = isCount(rest.Limit) ? Math.min(rest.Limit, pageMaxItems) : rest.Limit;
  const plan = { ...(isSegment ? rest : input), Limit: Limit ?? pageMaxItems };
  return { body: Buffer.from(JSON.stringify(plan)) };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function parsed(body: Buffer): ScanInput | undefined {
  try {
    const input = JSON.parse(body.toString('utf8'));
    return typeof input === 'object' && input !== null ? input : undefined;
  } catch {
    return undefined;
  }
}
