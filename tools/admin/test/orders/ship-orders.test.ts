import { describe, expect, it } from '@jest/globals';
import { forward, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import type { AdminOptions } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();
const nowMs = Date.parse('2026-11-20T12:00:00Z');
const now = { S: '2026-11-20T12:00:00.000Z' };

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
    ['ids', 'orders.txt', '1\n9007199254740993\r\n\n3\n4\n5\n6'],
    ['JSON Lines', 'orders.jsonl', '{"id":1}\n9007199254740993\n{"id":3}\n4\n{"id":5}\n{"id":6}'],
    ['CSV', 'orders.csv', 'id\n1\n9007199254740993\n3\n4\n5\n6\n'],
  ])(
    'ships the pending orders of %s in one write each, and names the others',
    async (_, name, text) => {
      await putOrders();

      const { exitCode, stdout, stderr } = await ship([file(text, name), '--yes']);

      expect(exitCode).toBe(4);
      expect(stdout).toBe(
        'NOT SHIPPED  REASON\n4            cancelled\n6            not found\n5            in no known state\n' +
          'Shipped 2 orders in 0.0 s; 1 already shipped, 3 not shipped.\n',
      );
      expect(stderr).toMatch(/3 orders not shipped; stop these parcels\n$/);
      expect(await order('1')).toEqual({
        id: { N: '1' },
        ...shipped,
        shippedAt: now,
        shipDate: now,
      });
      expect(await order('9007199254740993')).toMatchObject(shipped);
      expect(await order('3')).toMatchObject({ shippedAt: { S: 'before' } });
      expect((await order('2')).status).toEqual({ S: 'pending' });
      expect(proxy.requests.map(({ operation }) => operation)).toEqual(Array(6).fill('UpdateItem'));
    },
  );

  it('takes the time of shipping from the file, reads standard input, and prints exact ids', async () => {
    await putOrders();

    const { stdout } = await ship(['-', '--format', 'csv', '--yes', '--json'], {
      input: 'shipDate,id\n2026-11-19T08:00:00+01:00,9007199254740993\n,3\n,4\n,5\n,6\n',
    });

    expect(stdout).toBe(
      '{"file":"-","seconds":0,"shipped":[9007199254740993],"alreadyShipped":[3],"cancelled":[4],' +
        '"notFound":[6],"unknownState":[5]}\n',
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
    const bad = await ship([file(`1\n{"id":2,"petId":7}\n01\nx\n${soon}\n`), '--yes']);

    expect(refused.stderr).toMatch(
      /\r\S*stage staging at \S+: mark 2 orders as shipped\? \[y\/N\]/,
    );
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toContain('line 2: "petId": expected only id, shipDate');
    expect(bad.stderr).toContain('line 3: id: "01" is not accepted');
    expect(bad.stderr).toContain('line 4: id: "x" is not accepted');
    expect(bad.stderr).toContain('line 5: shipDate: "soon" is not accepted; expected an ISO 8601');
    expect(await stored()).toEqual(before);
    expect(proxy.requests).toEqual([]);
  });

  it('sends no write again after a lost response, and completes when it is run again', async () => {
    const ids = [...Array(30)].map((_, id) => `${id}`);
    for (const id of ids) await put({ id: { N: id }, status: { S: 'pending' } });
    let writes = 0;
    proxy.reply = (call) => (++writes === 15 ? lost : forward)(call);

    const first = await ship([file(ids.join('\n')), '--yes']);
    const sent = proxy.requests.map(({ input }) => JSON.stringify(input.Key));
    proxy.reply = forward;
    const second = await ship([file(ids.join('\n')), '--yes']);

    expect([first.exitCode, second.exitCode]).toEqual([3, 0]);
    expect(first.stderr).toMatch(/stopped after \d+ orders or more: .* may or may not have been/);
    expect(first.stderr).toMatch(/run the command again\n$/);
    expect(new Set(sent).size).toBe(sent.length);
    expect(second.stdout).toMatch(/^Shipped \d+ orders in .*; \d+ already shipped, 0 not shipped/);
    for (const { status } of await stored()) expect(status).toEqual({ S: 'shipped' });
  });

  it('shows how many orders are done, of how many, and the time left', async () => {
    await putOrders();
    let ms = nowMs;

    const { stderr } = await ship([file('1\n2\n3\n'), '--yes'], {
      isTerminal: true,
      now: () => (ms += 30_000),
    });
    const log = await ship([file('1\n2\n'), '--yes'], { now: () => (ms += 30_000) });

    expect(stderr).toMatch(/1 of 3 orders shipped, \d+ (s|min) left\r?/);
    expect(log.stderr).toMatch(/^[12] orders? checked\n/m);
    expect(log.stderr).not.toContain('\r');
  });
});

it('orders ship ID tells an order that is shipped already from one that was cancelled', async () => {
  await putOrders();
  const codeOf = async (id: string) => JSON.parse((await ship([id, '--json'])).stderr).error.code;

  expect([await codeOf('3'), await codeOf('4'), await codeOf('5')]).toEqual([
    'alreadyDone',
    'wrongState',
    'wrongState',
  ]);
});

describe('orders reopen ID', () => {
  it.each([
    ['almost pending', { S: 'pending ' }, '"pending "'],
    ['empty', { S: '' }, '""'],
    ['none', undefined, 'without a status'],
    ['a number', { N: '5' }, 'in a state that is not a text'],
  ])(
    'makes an order pending whose state is %s, and asks with the state',
    async (_, status, text) => {
      await put({ id: { N: '7' }, ...(status && { status }) });

      const asked = await orders(['reopen', '7'], { isTerminal: true, input: 'n\n' });
      const refused = await orders(['cancel', '7']);
      const done = await orders(['reopen', '7', '--yes', '--as', 'ann']);

      expect(asked.stderr).toContain(`order 7 is ${text}: make it pending? [y/N]`);
      expect(refused.stderr).toContain('"./admin orders reopen 7" makes it pending');
      expect(done).toMatchObject({ exitCode: 0 });
      expect(await order('7')).toMatchObject({
        status: { S: 'pending' },
        reopenedBy: { S: 'ann' },
      });
    },
  );

  it('leaves an order that has got a state meanwhile', async () => {
    await put({ id: { N: '7' } });
    meanwhile('UpdateItem', '7', { status: { S: 'shipped' } });

    const { stderr } = await orders(['reopen', '7', '--yes']);

    expect(stderr).toContain('Order 7 is shipped: only a cancelled order can be reopened');
  });
});
