import { setTimeout as pause } from 'node:timers/promises';
import { asServiceError } from '../shared/dynamodb.ts';
import { ServiceUnavailableError } from '../shared/errors.ts';
import type { OrdersPage, PageRequest, ReadPage, StartKey } from './orders-page.ts';

const totalSegments = 4;
/** Between the attempts at a page, each of which is several of the SDK's. */
const pausesMs = [500, 1_000];

/** A table of which the first page is read: the rest is read as it is asked for. */
export interface OrdersScan {
  firstPage: OrdersPage;
  /** All pages, the first one included. */
  pages: AsyncGenerator<OrdersPage, void, void>;
}

/*
 * A small store is one Scan request. A large one is read in parallel segments, but DynamoDB fixes
 * the number of segments with the first request, before anyone knows which of the two it is:
 *
 *   Scan                          [ page 1 ]  no LastEvaluatedKey: that was all
 *                                     |
 *                                     | there is more
 *                                     v
 *   Scan, segment 0 of 4          [ page 1' ][ page ][ page ] ...
 *   Scan, segment 1 of 4          [ page ][ page ] ...
 *   Scan, segment 2 of 4          [ page ] ...
 *   Scan, segment 3 of 4          [ page ] ...
 *
 * Page 1 is on its way to the client while the segments begin from nothing, so they will come across
 * its orders once more. Their ids are remembered, one page of them at the most, until the segments
 * have met them all. A start key of the one scan may not be used in a segment of the other, so the
 * price is one page read twice, and only of a store that has more than one.
 */

/** Reads the first page. @param signal ends all requests under way */
export async function startScan(readPage: ReadPage, signal: AbortSignal): Promise<OrdersScan> {
  const firstPage = await readPage({ withIds: true, signal });
  return { firstPage, pages: allPages(readPage, firstPage, signal) };
}

async function* allPages(
  readPage: ReadPage,
  firstPage: OrdersPage,
  signal: AbortSignal,
): AsyncGenerator<OrdersPage, void, void> {
  if (!firstPage.lastEvaluatedKey) {
    yield firstPage;
    return;
  }
  const { ids } = firstPage;
  let unmet = ids?.size ?? 0;
  const underWay = new Map<number, Promise<{ index: number; page: OrdersPage }>>();
  const request = (index: number, startKey?: StartKey) => {
    const segment = { index, total: totalSegments };
    const except = unmet > 0 ? ids : undefined;
    const page = readPatiently(readPage, { startKey, segment, except, signal });
    const next = page.then((page) => ({ index, page }));
    // Reported by the race below, if anyone is still interested in it.
    next.catch(() => {});
    underWay.set(index, next);
  };

  for (let index = 0; index < totalSegments; index++) request(index);
  yield firstPage;
  while (underWay.size > 0) {
    const { index, page } = await Promise.race(underWay.values());
    // Removed and added again, it goes to the end of the queue: no segment waits behind another.
    underWay.delete(index);
    unmet -= page.exceptedCount;
    if (page.lastEvaluatedKey) request(index, page.lastEvaluatedKey);
    yield page;
  }
}

/** Once the answer has begun there is no 503 any more: a slow list is better than a broken one. */
async function readPatiently(readPage: ReadPage, request: PageRequest): Promise<OrdersPage> {
  for (const pauseMs of pausesMs) {
    try {
      return await readPage(request);
    } catch (error) {
      if (!(asServiceError(error) instanceof ServiceUnavailableError)) throw error;
      await pause(pauseMs, undefined, { signal: request.signal });
    }
  }
  return readPage(request);
}
