interface ScanInput {
  readonly Limit?: number;
  readonly Segment?: number;
  readonly TotalSegments?: number;
}

/**
 * The embedded server takes about 15 ms for a page of this many small items. It executes one call at a
 * time, so that a write waits for the scans before it. By default its pages contain 1 MB of items.
 */
const pageMaxItems = 2_000;

/** The last page of a segment without items. */
export const emptyPage = JSON.stringify({ Count: 0, Items: [], ScannedCount: 0 });

/**
 * Changes a scan so that it is short on the embedded server. For each page of a segment that server
 * reads the items of other segments as well. DynamoDB leaves the distribution of items to the server,
 * so here the first segment contains all items and the others are empty.
 *
 * @returns the body of the scan to send; undefined for one that `emptyPage` answers
 */
export function planScan(body: Buffer): Buffer | undefined {
  const { Segment, TotalSegments, ...rest } = JSON.parse(body.toString()) as ScanInput;
  if (Segment) return undefined;
  const Limit = Math.min(rest.Limit ?? pageMaxItems, pageMaxItems);
  return Buffer.from(JSON.stringify({ ...rest, Limit }));
}
