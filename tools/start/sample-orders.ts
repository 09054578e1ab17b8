import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { OrderFieldName } from '../../lambdas/shared/order-fields.ts';
import type { OrderItem } from '../admin/orders/order-record.ts';

const count = 1_000;
// The contract's examples use order 1001, so they also work with the sample.
const firstId = 1_001;
const firstShipDate = Date.UTC(2026, 0, 5, 9, 30);
const hourMs = 3_600_000;

// A JavaScript number would round all of these ids. The last one is the largest possible id.
const largeIds = [
  '9007199254740993',
  '9007199254740995',
  '1234567890123456789',
  '9223372036854775806',
  '9223372036854775807',
];

/**
 * The orders of the sample, which are the same in each run. Two of three orders are pending, and the
 * others have shipped.
 */
export function sampleOrders(): OrderItem[] {
  const smallIds = Array.from({ length: count - largeIds.length }, (_, index) =>
    String(firstId + index),
  );
  return [...smallIds, ...largeIds].map(sampleOrder);
}

function sampleOrder(id: string, index: number): OrderItem {
  const hasShipped = index % 3 === 2;
  const shipDate = new Date(firstShipDate + index * 7 * hourMs).toISOString();
  return {
    id: NumberValue.from(id),
    petId: NumberValue.from(1 + ((index * 37) % 400)),
    quantity: NumberValue.from(1 + (index % 5)),
    shipDate: shipDate.replace('.000Z', 'Z'),
    complete: hasShipped,
    status: hasShipped ? 'shipped' : 'pending',
  } satisfies Record<OrderFieldName | 'status', unknown>;
}
