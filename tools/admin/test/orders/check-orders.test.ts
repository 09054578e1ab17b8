import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, put } = await ordersOfEachTest();
const pending = { status: { S: 'pending' } };

/** Items that another program can have stored, and the kinds of their problems. */
const items: [Record<string, AttributeValue>, ...string[]][] = [
  [pending],
  [{ ...pending, quantity: { N: '9223372036854775807' }, complete: { BOOL: false } }],
  [{ status: { S: 'shipped' }, complete: { BOOL: true } }],
  [{ ...pending, complete: { BOOL: true } }, 'complete'],
  [{ status: { S: 'cancelled' }, complete: { BOOL: true } }, 'complete'],
  [{ status: { S: 'shipped' }, complete: { BOOL: false } }, 'complete'],
  [{ ...pending, shipDate: { S: '2026-11-20T09:30:00.123456789+05:30' }, lines: { L: [] } }],
  [{ status: { S: 'cancelled' }, cancelledAt: { N: '5' }, cancelledBy: { SS: ['x'] } }],
  [{ status: { S: 'shipped' }, shippedAt: { S: 'soon' }, large: { SS: ['x'] } }],
  [{}, 'status'],
  [{ status: { S: 'Pending' } }, 'status'],
  [{ status: { N: '1' }, quantity: { S: '2' } }, 'quantity', 'status'],
  [{ status: { S: 'toString' } }, 'status'],
  [{ ...pending, quantity: { N: '1.5' } }, 'quantity'],
  [{ ...pending, petId: { N: '9223372036854775808' } }, 'petId'],
  [{ ...pending, petId: { NULL: true } }, 'petId'],
  [{ ...pending, complete: { S: 'true' } }, 'complete'],
  [{ ...pending, shipDate: { S: '2026-11-20' } }, 'shipDate'],
  [{ ...pending, shipDate: { S: '0001-01-01T00:00:00+01:00' } }, 'shipDate'],
  [{ ...pending, shipDate: { N: '5' } }, 'shipDate'],
  [{ id: { N: '1.5' }, quantity: { S: 'x' } }, 'id'],
  [{ id: { N: '9223372036854775808' }, ...pending }, 'id'],
];

describe('orders check', () => {
  it('names every item that the API cannot show as it is or nobody can change, and no other', async () => {
    const expected: Record<string, string[]> = {};
    for (const [index, [item, ...kinds]] of items.entries()) {
      const { id = { N: `${index}` } } = item;
      await put({ ...item, id });
      if (kinds.length > 0) expected[id.N!] = kinds;
    }

    const { exitCode, stdout } = await orders(['check', '--json']);
    const shown = await orders(['check']);

    const found: Record<string, string[]> = {};
    const { problems, ...counts } = JSON.parse(
      stdout.replaceAll(/\{"id":([^,"]+),(?="kind")/g, '{"id":"$1",'),
    );
    for (const { id, kind } of problems) found[id] = [...(found[id] ?? []), kind];
    expect(found).toEqual(expected);
    expect(exitCode).toBe(4);
    expect(counts).toEqual({
      orders: items.length,
      kinds: { id: 2, petId: 2, quantity: 2, shipDate: 3, complete: 4, status: 4 },
    });
    expect(shown.stdout).toMatch(
      /^order 1\.5: its id is not an int64, so no client can use it; "\.\/admin orders delete 1\.5" removes it$/m,
    );
    expect(shown.stdout).toMatch(/^Checked 22 orders: (\d \w+(, )?){6}\.$/m);
  });

  it('finds nothing after the remedies that it names, of which a human chooses by what happened', async () => {
    const large = { S: 'x' };
    await put({ id: { N: '1' }, status: { S: 'Shipped' }, quantity: { S: '2' }, large });
    await put({ id: { N: '2' }, ...pending, complete: { S: 'no' }, shipDate: { N: '5' } });
    await put({ id: { N: '3' } });
    await put({ id: { N: '4' }, ...pending, complete: { BOOL: true } });
    await put({ id: { N: '5' }, status: { S: 'shipped' }, complete: { BOOL: false } });
    await put({ id: { N: '6' }, status: { S: 'cancelled' }, complete: { BOOL: true } });
    await put({ id: { N: '-1.5e-3' }, ...pending });

    const { stdout } = await orders(['check']);
    expect(stdout).toContain(
      'order 3: it is without a status, so nobody can cancel it; if it has left the warehouse, ' +
        '"./admin orders ship 3" marks it as shipped; if not, "./admin orders reopen 3" makes it pending\n',
    );
    for (const command of ['ship 1', 'reopen 3', 'ship 4', 'delete -0.0015']) {
      expect(stdout).toContain(`"./admin orders ${command}"`);
      await orders([...command.split(' '), '--yes']);
    }
    const lines = stdout.match(/\{"id".*?\}/g)!.filter((line) => !line.includes('"id":4,'));
    for (const line of lines) {
      const value = line.includes('quantity') ? '2' : '"2026-11-20T09:30:00Z"';
      const path = file(line.replace('…', value));
      expect((await orders(['import', '--update', path])).exitCode).toBe(0);
    }

    expect(await orders(['check'])).toMatchObject({
      exitCode: 0,
      stdout: 'Checked 6 orders: no problems.\n',
    });
  });
});
