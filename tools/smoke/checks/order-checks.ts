import { randomBytes } from 'node:crypto';
import { type DocumentedError, operationsWith } from '../../../test/contract/contract.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { type CallOptions, CheckFailed, type Stage } from '../stage/stage.ts';
import { CheckSkipped, checksOf } from './check.ts';

/** A list with more orders is read only once, because the function on AWS scans the whole table for each list. */
const mostOrdersReadTwice = 1_000;

const badOrderIds = ['007', '+1', '-0', '1.0', '0x10', '1e3', 'abc', '9223372036854775808'];
const resuming = { headers: { range: 'bytes=1-' } };
const brokenJson = { body: '{', headers: { 'content-type': 'application/json' } };

/** Checks of the whole list. */
export function listChecks() {
  let orders: number | undefined;
  return checksOf('R1, R3, R8, R9, I3, I9: List orders', {
    'returns all orders as a JSON array, streamed and with zstd, whatever the query': async (
      stage,
    ) => {
      orders = await expectList(stage, '?status=pending&limit=1', 'zstd');
    },
    'returns the same orders with gzip, and uncompressed': async (stage) => {
      if (orders === undefined) throw new CheckSkipped('the list with zstd is not as documented');
      if (orders > mostOrdersReadTwice) {
        throw new CheckSkipped(`a list of ${orders} orders is read only once`);
      }
      await expectList(stage, '', 'gzip', orders);
      await expectList(stage, '', 'identity', orders);
    },
  });
}

/** Sends requests that must fail to every operation that documents their error. No order changes. */
export const failingRequestChecks = checksOf('R15, I7, I8: Failing requests', {
  'answers 404 to an order that does not exist': (stage) =>
    expectOnEach(stage, { status: 404, code: 'order_not_found' }),
  'answers 400 to an order id that is not a canonical int64': async (stage) => {
    for (const orderId of [...badOrderIds, '9'.repeat(500)]) {
      await expectOnEach(stage, { status: 400, code: 'invalid_order_id' }, { orderId });
    }
  },
  'answers 400 to a request that resumes a list': (stage) =>
    expectOnEach(stage, { status: 400, code: 'range_not_supported' }, resuming),
  'answers 400 to a JSON body that does not parse': (stage) =>
    expectOnEach(stage, { status: 400, code: 'invalid_body' }, brokenJson),
});

/** Checks that cancel an order. */
export function cancellationChecks(orderId: string) {
  return checksOf('R12, R13, I2, I4: Cancel an order', {
    [`cancels order ${orderId}`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 204 }),
    [`answers 409 when order ${orderId} is cancelled again`]: (stage) =>
      stage.expect('cancelOrder', { orderId }, { status: 409, code: 'order_already_cancelled' }),
  });
}

/** @throws CheckFailed if an operation documents the error but answers something else */
async function expectOnEach(stage: Stage, expected: DocumentedError, options: CallOptions = {}) {
  for (const { operationId } of operationsWith(expected)) {
    await stage.expect(operationId, { orderId: absentOrderId(), ...options }, expected);
  }
}

/** A random negative id, which no order is likely to have. */
export function absentOrderId(): string {
  return `-${(randomBytes(8).readBigUInt64BE() >> 2n) + 2n ** 62n}`;
}

/** Compares a list, and returns its number of orders. */
async function expectList(
  stage: Stage,
  query: string,
  accepted: 'zstd' | 'gzip' | 'identity',
  expectedOrders?: number,
): Promise<number> {
  const headers = { 'accept-encoding': accepted };
  const answer = await stage.call('listOrders', { query, headers });
  const encoding = headerOf(answer, 'content-encoding');
  const expectedEncoding = accepted === 'identity' ? undefined : accepted;
  stage.compare('listOrders', answer, { status: 200 }, [
    ...(encoding === expectedEncoding
      ? []
      : [`content-encoding is ${encoding}, expected ${expectedEncoding}`]),
    ...(answer.headers.has('content-length')
      ? ['has a content-length, so it was not streamed']
      : []),
  ]);
  const { length } = JSON.parse(answer.text);
  if (expectedOrders === undefined || length === expectedOrders) return length;
  throw new CheckFailed(`the list has ${length} orders, but ${expectedOrders} with zstd`);
}
