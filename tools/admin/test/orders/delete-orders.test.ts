import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forward, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { directory, file, meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();
const pending = { status: { S: 'pending' }, note: { SS: ['x'] } };

beforeEach(async () => {
  for (const id of ['1', '2', '3', '1.5']) await put({ id: { N: id }, ...pending });
});

const kept = () => join(directory.path, 'kept.jsonl');
const remaining = async () => (await stored()).map(({ id }) => id!.N).sort();

describe('orders delete', () => {
  it('deletes one order, with any number as its id, and prints it', async () => {
    const line = '{"status":"pending","attributes":{"id":{"N":"1.5"},"note":{"SS":["x"]}}}';

    const asked = await orders(['delete', '1.5'], { isTerminal: true, input: 'n\n' });
    const { stdout } = await orders(['delete', '1.5', '--yes']);

    expect(asked.stderr).toContain(`delete order 1.5, ${line}? [y/N]`);
    expect(stdout).toBe(`Order 1.5 is deleted. Before:\n${line}\n`);
    expect(await remaining()).toEqual(['1', '2', '3']);
  });

  it('writes several orders to a file of this user before it deletes the first', async () => {
    let before = '';
    proxy.reply = (call) => {
      if (call.operation === 'DeleteItem') before ||= readFileSync(kept(), 'utf8');
      forward(call);
    };

    const words = ['delete', '1', '1.5', '9', '--keep', kept(), '--yes', '--json'];
    const { exitCode, stdout } = await orders(words);

    expect(exitCode).toBe(0);
    const { deleted, ...others } = JSON.parse(stdout);
    expect(deleted.sort()).toEqual([1, 1.5]);
    expect(others).toEqual({ different: [], notFound: [9], notKept: [], kept: kept() });
    expect(before).toBe(readFileSync(kept(), 'utf8'));
    expect(before.trimEnd().split('\n')).toHaveLength(2);
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(await remaining()).toEqual(['2', '3']);
  });

  it('leaves an order that differs from its line, and prints how', async () => {
    const path = file(
      '{"id":1,"status":"pending"}\n{"id":2,"status":"shipped"}\n{"id":3,"petId":7}\n',
    );

    const dry = await orders(['delete', path, '--dry-run', '--json']);
    const { exitCode, stdout, stderr } = await orders(['delete', path, '--keep', kept(), '--yes']);

    expect(JSON.parse(dry.stdout)).toEqual({
      wouldDelete: [1],
      different: [2, 3],
      notFound: [],
      kept: null,
    });
    expect([exitCode, stdout]).toEqual([4, 'Deleted 1 order; 2 different, 0 not found.\n']);
    expect(stderr).toContain('line 2: order 2 is pending, the line says shipped\n');
    expect(stderr).toContain('line 3: order 3 has no petId, the line says 7\n');
    expect(await remaining()).toEqual(['1.5', '2', '3']);
  });

  it.each([
    ['petId', { petId: { S: 'x' } }],
    ['note', { note: { S: 'x' } }],
  ])('leaves an order whose %s has changed since it was read', async (_, change) => {
    meanwhile('DeleteItem', '2', { ...pending, ...change });

    const { exitCode, stderr } = await orders(['delete', '2', '--keep', kept(), '--yes']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('order 2 has changed since it was read, and is not deleted');
    expect(await remaining()).toContain('2');
    meanwhile('DeleteItem', '3', { ...pending, ...change });
    expect((await orders(['delete', '3', '--yes'])).stderr).toContain('was changed by somebody el');
    expect(await remaining()).toContain('3');
  });

  it('prints an order whole that has got another attribute since it was read', async () => {
    meanwhile('DeleteItem', '2', { ...pending, added: { S: 'x' } });

    const { exitCode, stderr } = await orders(['delete', '2', '--keep', kept(), '--yes']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      'had other attributes when it was deleted: {"id":2,"status":"pending","attributes":{"added":{"S":"x"}',
    );
  });

  it('completes when it is run again, whichever call is lost, and always has every deleted order in the file', async () => {
    const before = await stored();
    const words = ['delete', '1', '2', '3', '1.5', '--yes', '--keep'];
    for (let failing = 1, calls = 9; failing <= calls; failing++) {
      for (const item of before) await put(item);
      const path = `${kept()}${failing}`;
      const run = () => orders([...words, path]);
      calls = 0;
      proxy.reply = (call) => (++calls === failing ? lost : forward)(call);

      const first = await run();
      proxy.reply = forward;
      const keptIds = first.exitCode ? readdirSync(directory.path) : [];
      const gone = before.length - (await stored()).length;
      if (gone > 0) expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(4);
      const second = first.exitCode === 0 ? first : await run();

      expect(keptIds.filter((name) => name.endsWith('.partial'))).toEqual([]);
      expect(second).toMatchObject({ exitCode: 0 });
      expect(await stored()).toEqual([]);
      await orders(['import', path]);
      expect(await remaining()).toEqual(['1', '1.5', '2', '3']);
    }
  });

  it('deletes only orders that the command names and an existing file has', async () => {
    const all = ['delete', '1', '2', '--keep', kept(), '--yes'];
    await orders(all);
    await orders(['import', kept()]);

    const other = await orders(['delete', '2', '3', '--keep', kept(), '--yes']);
    const part = await orders(['delete', '2', '--keep', kept(), '--yes']);

    expect(other.exitCode).toBe(4);
    expect(other.stderr).toMatch(/1 order not in \S+, which existed; give --keep a new name/);
    expect(part.stdout).toBe('Deleted 0 orders; 0 different, 1 not found.\n');
    expect(await remaining()).toEqual(['1', '1.5', '3']);
  });

  it('names a bad line of an existing file, and deletes nothing', async () => {
    const keep = file('{"id":1}\n{"id":2\n');

    const { stderr } = await orders(['delete', '1', '2', '--keep', keep, '--yes']);

    expect(stderr).toMatch(`${keep}: line 2: is not JSON`);
    expect(await remaining()).toHaveLength(4);
  });

  it.each([
    [['1', '2'], 2, '--keep FILE is required for more than one order'],
    [['orders.txt'], 2, '--keep FILE is required for more than one order'],
    [['1', 'orders.txt', '--keep', 'x'], 2, 'give either order ids or one file'],
    [['9'], 1, 'No order has the id 9'],
    [['1', '01', '--keep', 'x', '--yes'], 1, 'order id: "01" is not accepted; expected a number'],
    [['1', '2', '--keep', '/dev/null', '--yes'], 1, '--keep: "/dev/null" is not accepted'],
    [['1', '2', '--keep', '-', '--yes'], 1, '--keep: "-" is not accepted'],
    [['1', '2', '--keep', 'no/x', '--yes'], 1, 'no/x: not written: ENOENT'],
    [['1', '2', '--keep', 'x'], 1, 'nothing was changed: asking for confirmation needs'],
  ])('refuses %j, and deletes nothing', async (words, code, message) => {
    const { exitCode, stderr } = await orders(['delete', ...words]);

    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await remaining()).toHaveLength(4);
  });
});
