import { randomBytes } from 'node:crypto';
import type { Expected, Stage } from '../stage/stage.ts';
import { checksOf, combineDifferences } from './check.ts';

const badOrderIds = ['007', '+1', '1.0', '0x10', '1e3', 'abc', '9223372036854775808'];
const invalidId: Expected = { status: 400, code: 'invalid_order_id' };
const absent: Expected = { status: 404, code: 'order_not_found' };

/** Cancellations that fail without changing an order. */
export const cancelErrorChecks = checksOf('Cancel an order', {
  'answers 400 to an order id that is no canonical int64': expectInvalidIds,
  'answers 404 to an order that does not exist': (stage) =>
    stage.expect('cancelOrder', { orderId: absentOrderId() }, absent),
  'answers 400 to a JSON body that does not parse': (stage) =>
    stage.expect(
      'cancelOrder',
      { orderId: absentOrderId(), body: '{', headers: { 'content-type': 'application/json' } },
      { status: 400, code: 'invalid_body' },
    ),
});

/** Checks that cancel an order, which cannot be undone. */
export function cancellationChecks(orderId: string) {
  return checksOf('Cancel an order', {
    [`cancels order ${orderId}`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 204 }),
    [`answers 409 when order ${orderId} is cancelled again`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 409, code: 'order_already_cancelled' }),
  });
}

/** A random negative id, at which no order can be expected: stores count orders from 1. */
export function absentOrderId(): string {
  return `-${(randomBytes(8).readBigUInt64BE() >> 2n) + 2n ** 62n}`;
}

async function expectInvalidIds(stage: Stage): Promise<string[]> {
  const found: [string, string[]][] = [];
  for (const orderId of [...badOrderIds, '9'.repeat(500)]) {
    const differences = await stage.expect('cancelOrder', { orderId }, invalidId);
    found.push([`order id ${orderId.slice(0, 30)}`, differences]);
  }
  return combineDifferences(found);
}
