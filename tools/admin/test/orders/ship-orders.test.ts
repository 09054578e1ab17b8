import { describe, expect, it } from '@jest/globals';
import type { AdminOptions } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { orders, put, stored } = await ordersOfEachTest();
const nowMs = Date.parse('2026-11-20T12:00:00.789Z');
const now = { S: '2026-11-20T12:00:00Z' };

const ship = (words: string[], io: AdminOptions = {}) =>
  orders(['ship', ...words, '--as', 'ann'], { now: () => nowMs, ...io });
const order = async (id: string) => (await stored()).find((each) => each.id!.N === id)!;

async function putOrders() {
  for (const id of ['1', '2', '9007199254740993']) {
    await put({ id: { N: id }, status: { S: 'pending' }, complete: { BOOL: false } });
  }
  await put({ id: { N: '3' }, status: { S: 'shipped' }, shippedAt: { S: 'before' } });
  await put({ id: { N: '4' }, status: { S: 'cancelled' } });
  await put({ id: { N: '5' }, status: { S: 'Pending' } });
}

const shipped = { status: { S: 'shipped' }, complete: { BOOL: true }, shippedBy: { S: 'ann' } };

it('orders ship ID tells an order that is shipped already from one that was cancelled', async () => {
  await putOrders();
  const codeOf = async (id: string) => JSON.parse((await ship([id, '--json'])).stderr).error.code;

  expect([await codeOf('3'), await codeOf('4')]).toEqual(['alreadyDone', 'wrongState']);
});

describe('an order in an unknown state', () => {
  const shapes = [
    ['almost pending', { S: 'pending ' }, 'is "pending "'],
    ['empty', { S: '' }, 'is ""'],
    ['none', undefined, 'is without a status'],
    ['a number', { N: '5' }, 'is in a state that is not a text'],
  ] as const;

  it.each(shapes)(
    'is made pending by reopen, which asks with the state, or shipped by ship: %s',
    async (_, status, text) => {
      const item = { id: { N: '7' }, ...(status && { status }) };
      await put(item);

      const asked = await orders(['reopen', '7'], { isTerminal: true, input: 'n\n' });
      const refused = await orders(['cancel', '7']);
      await orders(['reopen', '7', '--yes', '--as', 'ann']);

      expect(asked.stderr).toContain(`order 7 ${text}: make it pending? [y/N]`);
      expect(refused.stderr).toContain(
        `Order 7 ${text}: only a pending order can be cancelled; if it`,
      );
      expect(refused.stderr).toContain(
        '"./admin orders ship 7" marks it as shipped; if not, "./adm',
      );
      const reopened = { status: { S: 'pending' }, reopenedBy: { S: 'ann' } };
      expect(await order('7')).toMatchObject(reopened);
      await put(item);
      await ship(['7']);
      expect(await order('7')).toEqual({ ...item, ...shipped, shippedAt: now, shipDate: now });
    },
  );
});
