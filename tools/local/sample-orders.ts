import type { OrderFieldName } from '../../lambdas/domain/order-fields.ts';
import type { OrderItem } from '../admin/orders/order-record.ts';

const count = 1_000;
// One order has no ship date, because clients have to accept absent fields.
const withoutShipDateIndex = 3;
// The contract's examples use order 1001, so they also work with the sample.
const firstId = 1_001n;
// An id that a JavaScript number would round to another id.
const largeId = 2n ** 53n + 1n;
const largestId = 2n ** 63n - 1n;
const firstShipDate = Date.UTC(2026, 0, 5, 9, 30);
const hourMs = 3_600_000;

/** The sample, which is the same in each run. Two of three orders are pending, and the other orders have shipped. */
export function sampleOrders(): OrderItem[] {
  const orders = Array.from({ length: count }, (_, index) => sampleOrder(idOf(index), index));
  delete orders[withoutShipDateIndex]!.shipDate;
  return orders;
}

/** All ids but the last two are easy to type. */
function idOf(index: number): bigint {
  if (index === count - 1) return largestId;
  return index === count - 2 ? largeId : firstId + BigInt(index);
}

function sampleOrder(id: bigint, index: number): OrderItem {
  const hasShipped = index % 3 === 1;
  const shipDate = new Date(firstShipDate + index * 7 * hourMs).toISOString();
  return {
    id: { N: String(id) },
    petId: { N: String(1 + ((index * 37) % 400)) },
    quantity: { N: String(1 + (index % 5)) },
    shipDate: { S: shipDate.replace('.000Z', 'Z') },
    complete: { BOOL: hasShipped },
    status: { S: hasShipped ? 'shipped' : 'pending' },
  } satisfies Record<OrderFieldName | 'status', unknown>;
}
