import type { Item } from '../contract/item.ts';
import type { OrdersPage, ReadPage } from './orders-page.ts';

const totalSegments = 4;

/*
 * A table of one page is read with one Scan request, and a larger table in parallel segments. The
 * first request of a scan has to say the number of segments, before the size of the table is known. So
 * the first page is read without segments. If there are more pages, the scan starts again with segments:
 *
 *   Scan                          [ page 1 ]  no LastEvaluatedKey: the list is complete
 *                                     |
 *                                     | LastEvaluatedKey: there are more pages
 *                                     v
 *   Scan, segment 0 of 4          [ page ][ page ][ page ] ...
 *   Scan, segment 1 of 4          [ page ][ page ] ...
 *   Scan, segment 2 of 4          [ page ] ...
 *   Scan, segment 3 of 4          [ page ] ...
 *
 * A start key of a scan without segments cannot be used in a segment, so the segments return the orders
 * of page 1 again, and page 1 is thrown away.
 */

type Pages = AsyncGenerator<OrdersPage, void, void>;

/** Reads the first page, and returns all pages. `signal` can abort the first read. Other pages are read on demand. */
export async function startScan(readPage: ReadPage, signal: AbortSignal): Promise<Pages> {
  const firstPage = await readPage({ signal });
  return firstPage.lastEvaluatedKey ? pagesOfSegments(readPage) : only(firstPage);
}

async function* only(page: OrdersPage): Pages {
  yield page;
}

async function* pagesOfSegments(readPage: ReadPage): Pages {
  const underWay = new Map<number, Promise<{ index: number; page: OrdersPage }>>();
  // Ends the requests that are under way when one of them fails or the reader leaves.
  const ending = new AbortController();
  const request = (index: number, startKey?: Item) => {
    const segment = { index, total: totalSegments };
    const page = readPage({ startKey, segment, signal: ending.signal });
    const next = page.then((page) => ({ index, page }));
    // `Promise.race` below reports a failure. But if the reader has left before, nobody handles the failure, and an
    // unhandled rejection would end the process.
    next.catch(() => {});
    underWay.set(index, next);
  };

  try {
    for (let index = 0; index < totalSegments; index++) request(index);
    while (underWay.size > 0) {
      const { index, page } = await Promise.race(underWay.values());
      // A segment that is deleted and added again moves to the end of the map, and `race` prefers the
      // first settled promise. So all segments get their turn.
      underWay.delete(index);
      if (page.lastEvaluatedKey) request(index, page.lastEvaluatedKey);
      yield page;
    }
  } finally {
    if (underWay.size > 0) ending.abort();
  }
}
