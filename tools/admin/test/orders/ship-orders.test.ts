import { describe, expect, it } from '@jest/globals';
import type { AdminOptions } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, proxy, put, stored } = await ordersOfEachTest();
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

describe('orders ship FILE', () => {
  it.each([
    ['ids', '1\n9007199254740993\r\n\n3\n4\n5\n6'],
    ['JSON Lines', '{"id":1}\n9007199254740993\n\n{"id":3}\n4\n{"id":5}\n{"id":6}'],
  ])('ships the pending orders of %s in one write each, and lists the others', async (_, text) => {
    await putOrders();

    const { exitCode, stdout, stderr } = await ship([file(text), '--yes']);

    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      /^line 5: order 4 is cancelled\nline 6: order 5 is "Pending"; if it has left .*\nline 7: order 6 does not exist\n/,
    );
    expect(stdout).toContain(
      'Shipped 2 orders in 0.0 s; 1 already shipped, 1 cancelled, 1 not found, 1 in an unknown state.',
    );
    expect(stderr).toMatch(/see the 3 orders above; stop the parcels of the listed orders\n$/);
    expect(await order('1')).toEqual({ id: { N: '1' }, ...shipped, shippedAt: now, shipDate: now });
    expect(await order('9007199254740993')).toMatchObject(shipped);
    expect(await order('3')).toMatchObject({ shippedAt: { S: 'before' } });
    expect((await order('2')).status).toEqual({ S: 'pending' });
    expect(proxy.requests.map(({ operation }) => operation)).toEqual(Array(6).fill('UpdateItem'));
  });

  it('takes the time of shipping from the file, reads standard input, and prints exact ids', async () => {
    await putOrders();

    const { stdout } = await ship(['-', '--yes', '--json'], {
      input:
        '{"shipDate":"2026-11-19T08:00:00+01:00","id":9007199254740993}\n3\n9007199254740995\n',
    });

    expect(stdout).toBe(
      '{"shipped":1,"alreadyShipped":1,"cancelled":0,"notFound":1,"unknownState":0,"seconds":0,' +
        '"listed":[{"id":9007199254740995,"line":3,"outcome":"notFound","note":"does not exist"}]}\n',
    );
    expect(await order('9007199254740993')).toMatchObject({
      shipDate: { S: '2026-11-19T08:00:00+01:00' },
      shippedAt: now,
    });
  });

  it('asks once with the number, and writes nothing without the confirmation or with a bad line', async () => {
    await putOrders();
    const before = await stored();

    const refused = await ship([file('1\n2\n')], { isTerminal: true, input: 'no\n' });
    const soon = '{"id":{"N":"5"},"shipDate":{"S":"soon"}}';
    const bad = await ship([file(`1\n{"id":2,"petId":7}\n01\nx\n1.5\n${soon}\n`), '--yes']);

    expect(refused.stderr).toMatch(/stage staging at \S+: mark 2 orders as shipped\? \[y\/N\]/);
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toContain('line 2: "petId": expected only id and shipDate');
    expect(bad.stderr).toContain('line 3: is not JSON');
    expect(bad.stderr).toContain('line 4: is not JSON');
    expect(bad.stderr).toContain('line 5: id: 1.5 is not accepted');
    expect(bad.stderr).toContain('line 6: shipDate: "soon" is not accepted; expected an ISO 8601');
    expect(await stored()).toEqual(before);
    expect(proxy.requests).toEqual([]);
  });
});

describe('orders cancel FILE', () => {
  it('cancels the pending orders of ids and exported lines, and lists those that had shipped', async () => {
    await putOrders();
    const { stdout: exported } = await orders(['export']);
    const lines = exported.split('\n').filter((line) => /"id":[13],/.test(line));
    const path = file(`${lines.join('\n')}\n2\n4\n`);
    const words = ['cancel', path, '--as', 'ann'];

    const asked = await orders(words, { isTerminal: true, input: 'n\n' });
    const { exitCode, stdout, stderr } = await orders([...words, '--yes'], { now: () => nowMs });

    expect(asked.stderr).toContain('cancel 4 orders? Each cancellation may start a refund. [y/N]');
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      /^line \d: order 3 is shipped since before\nCancelled 2 orders in 0\.0 s; 1 already cancelled, 1 shipped\.\n$/,
    );
    expect(stderr).toMatch(/see the 1 order above; the listed orders are not cancelled\n$/);
    expect(await order('1')).toEqual({
      id: { N: '1' },
      complete: { BOOL: false },
      status: { S: 'cancelled' },
      cancelledAt: { S: '2026-11-20T12:00:00.789Z' },
      cancelledBy: { S: 'ann' },
    });
    expect((await order('3')).status).toEqual({ S: 'shipped' });
  });
});

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
