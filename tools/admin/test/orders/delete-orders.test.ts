import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Item } from '../../../../lambdas/contract/item.ts';
import {
  executedAndLost,
  forward,
  lost,
  type Reply,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();
const pending = { status: { S: 'pending' }, note: { SS: ['x'] } };
const lineOf = (id: string) => `{"id":${id},"status":"pending","note":{"SS":["x"]}}\n`;
const ids = ['1', '2', '3'];
const whole = ids.map(lineOf).join('');

beforeEach(async () => {
  for (const id of [...ids, '1.5']) await put({ id: { N: id }, ...pending });
});

const remaining = async () => (await stored()).map(({ id }) => id!.N).sort();

describe('orders delete ID', () => {
  it('prints the order, asks, and deletes it, with any number as its id', async () => {
    const line = '{"id":{"N":"1.5"},"status":"pending","note":{"SS":["x"]}}\n';

    const asked = await orders(['delete', '1.5'], { isTerminal: true, input: 'n\n' });
    const left = await remaining();
    const { stdout, stderr } = await orders(['delete', '1.5', '--yes']);

    expect([asked.stdout, left.length]).toEqual([line, 4]);
    expect(asked.stderr).toContain('delete order 1.5? [y/N]');
    expect(stdout).toBe(line);
    expect(stderr).toContain('Order 1.5 is deleted.\n');
    expect(await remaining()).toEqual(ids);
  });
});

describe('orders delete FILE', () => {
  it('deletes the orders that equal their lines, and an import of the file brings them back', async () => {
    const before = await stored();
    const path = file(whole);

    const { exitCode, stdout } = await orders(['delete', path, '--yes']);
    const left = await remaining();
    const again = await orders(['delete', path, '--yes']);
    await orders(['import', path]);

    expect([exitCode, left]).toEqual([0, ['1.5']]);
    expect(stdout).toMatch(/^Deleted 3 orders in \d+\.\d s\.\n$/);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('; 3 not found.') });
    expect(await stored()).toEqual(expect.arrayContaining(before));
  });

  it('leaves an order that has another value, less or more than its line, and lists how', async () => {
    const path = file(
      `${lineOf('1').replace('pending', 'shipped')}{"id":2,"status":"pending"}\n` +
        `${lineOf('3').replace('{', '{"petId":7,')}9\n`.replace('9\n', lineOf('9')),
    );

    const { exitCode, stdout, stderr } = await orders(['delete', path, '--yes']);

    expect([exitCode, stdout.split('\n').slice(0, 3)]).toEqual([
      4,
      [
        'line 1: order 1 has status "pending", the line says "shipped"',
        'line 2: order 2 has note a collection, the line says none',
        'line 3: order 3 has no petId, the line says 7',
      ],
    ]);
    expect(stdout).toMatch(/Deleted 0 orders in .* s; 1 not found, 3 different from the file\.\n$/);
    expect(stderr).toContain('see the 3 orders above; the listed orders are not deleted');
    expect(await remaining()).toHaveLength(4);
  });

  it('leaves an order that changes or goes after it was read', async () => {
    const changes: Item[] = [{ petId: { S: 'x' } }, { note: { S: 'x' } }];
    for (const change of changes) {
      meanwhile('DeleteItem', '2', { ...pending, ...change });

      const { exitCode, stdout } = await orders(['delete', file(lineOf('2')), '--yes']);

      expect(exitCode).toBe(4);
      expect(stdout).toContain('order 2 was changed by somebody else at the same time\n');
      expect(await remaining()).toContain('2');
      await put({ id: { N: '2' }, ...pending });
    }
    meanwhile('DeleteItem', '2');
    expect((await orders(['delete', file(lineOf('2')), '--yes'])).stdout).toContain('1 not found');
  });

  it('prints an order whole that gets another attribute after it was read, and puts it back', async () => {
    const added = { added: { S: 'x' } };
    meanwhile('DeleteItem', '2', { ...pending, ...added });

    const { exitCode, stdout, stderr } = await orders(['delete', file(whole), '--yes']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('put back: {"id":2,"status":"pending","added":{"S":"x"},"note":{"SS"');
    expect(stdout).toContain('order 2 got more attributes at the same time, and is put back\n');
    expect((await stored()).filter(({ id }) => id!.N === '2')).toEqual([
      { id: { N: '2' }, ...pending, ...added },
    ]);
  });

  it('does not put an order back over another that somebody creates', async () => {
    meanwhile('DeleteItem', '2', { ...pending, added: { S: 'x' } });
    const deletion = proxy.reply;
    proxy.reply = async (call) => {
      if (call.operation === 'PutItem') await put({ id: { N: '2' }, petId: { N: '5' } });
      return (call.operation === 'DeleteItem' ? deletion : forward)(call);
    };

    const { stdout } = await orders(['delete', file(lineOf('2')), '--yes']);

    expect(stdout).toContain('order 2 is not put back, because somebody has created another order');
    expect((await stored()).find(({ id }) => id!.N === '2')).toMatchObject({ petId: { N: '5' } });
  });

  it.each<[string, Reply]>([
    ['not made', lost],
    ['made, and its response lost', executedAndLost],
  ])('completes when it is run again, whichever call is %s', async (_, fault) => {
    const before = await stored();
    const path = file(whole);
    for (let failing = 1, calls = 9; failing <= calls; failing++) {
      for (const item of before) await put(item);
      calls = 0;
      proxy.reply = (call) => (++calls === failing ? fault : forward)(call);

      const first = await orders(['delete', path, '--yes']);
      proxy.reply = forward;
      const second = await orders(['delete', path, '--yes']);

      expect([0, 3]).toContain(first.exitCode);
      expect(second).toMatchObject({ exitCode: 0 });
      expect(await remaining()).toEqual(['1.5']);
      await orders(['import', path]);
      expect(await stored()).toEqual(expect.arrayContaining(before));
    }
  });

  it.each([
    [['-', '--yes'], 1, 'file: "-" is not accepted; expected a file, which becomes the only copy'],
    [
      ['/dev/null', '--yes'],
      1,
      'file: "/dev/null" is not accepted; expected a file, which becomes',
    ],
    [['no-such-file', '--yes'], 1, 'file: "no-such-file" is not accepted; expected a file, which'],
    [['9'], 1, 'No order has the id 9'],
    [['01', '--yes'], 1, 'order id: "01" is not accepted'],
    [['1'], 1, 'nothing was changed, because there is no terminal'],
  ])('refuses %j, and deletes nothing', async (words, code, message) => {
    const { exitCode, stderr } = await orders(['delete', ...words]);

    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await remaining()).toHaveLength(4);
  });

  it('asks with the number of orders and the file', async () => {
    const path = file(whole);

    const { stderr } = await orders(['delete', path], { isTerminal: true, input: 'n\n' });

    expect(stderr).toContain(`delete 3 orders? The only copy will be ${path}. [y/N]`);
    expect(await remaining()).toHaveLength(4);
  });
});
