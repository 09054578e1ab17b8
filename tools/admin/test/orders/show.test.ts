import { describe, expect, it } from '@jest/globals';
import type { Item } from '../../../../lambdas/contract/item.ts';
import { answer } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { admin } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { orders, proxy, put } = await ordersOfEachTest();
const pending = { status: { S: 'pending' } };
const shown = async (id: string) => (await orders(['show', id, '--json'])).stdout;

describe('orders show', () => {
  it('prints everything that is stored: exact numbers, and values of other programs', async () => {
    await put({
      id: { N: '9007199254740993' },
      ...pending,
      complete: { BOOL: false },
      petId: { N: '-9223372036854775808' },
      digits: { N: '1.2345678901234567890123456789012345678' },
      lines: { L: [{ S: 'x' }, { N: '9007199254740993' }] },
      bytes: { B: new Uint8Array([0, 255]) },
      binaries: { BS: [new Uint8Array([7])] },
      nothing: { NULL: true },
      shippedBy: { S: 'a\n"b"\u001b[1A' },
    });

    const text = await orders(['show', '9007199254740993']);

    expect(await shown('9007199254740993')).toBe(
      '{"order":{"id":9007199254740993,"petId":-9223372036854775808,"complete":false,"status":"pending",' +
        '"binaries":{"BS":["Bw=="]},"bytes":{"B":"AP8="},"digits":1.2345678901234567890123456789012345678,' +
        '"lines":{"L":[{"S":"x"},{"N":"9007199254740993"}]},"nothing":null,' +
        '"shippedBy":"a\\n\\"b\\"\\u001b[1A"},"remarks":[]}\n',
    );
    expect(text).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text.stdout).toMatch(
      /^\{\n {2}"id": 9007199254740993,\n {2}"petId": -9223372036854775808,\n {2}"complete": fal/,
    );
    expect(text.stdout).toMatch(/\n {2}"shippedBy": "a\\n\\"b\\"\\u001b\[1A"\n\}\n$/);
  });

  it.each<[Item, ...remarks: string[]]>([
    [{ ...pending, shipDate: { S: '2026-11-20T09:30:00.123456789+05:30' } }],
    [{ status: { S: 'shipped' }, complete: { BOOL: true }, shippedAt: { S: 'soon' } }],
    [{ ...pending, quantity: { N: '1.5' } }, 'leaves out quantity, because it is not an integer'],
    [{ ...pending, complete: { S: 'true' } }, 'leaves out complete, because it is not true or'],
    [{ ...pending, shipDate: { S: '2026-11-20' } }, 'leaves out shipDate, because it is not a da'],
    [{ ...pending, complete: { BOOL: true } }, 'shows that complete is true, but the order is pe'],
    [
      { status: { S: 'pending ' } },
      'Clients cannot cancel it, because it has the unknown status "pending ": if its parcel has left, "./admin orders ship 7" marks it as shipped; if not, "./admin orders reopen 7" makes',
    ],
    [{ id: { N: '-0.0015' }, quantity: { S: 'x' } }, 'out this item, because its id is not an int'],
  ])('says what the API leaves out, or why nobody can cancel it: %j', async (item, ...remarks) => {
    const stored = { id: { N: '7' }, ...item };
    const id = stored.id.N!;
    await put(stored);

    const { remarks: found } = JSON.parse(await shown(id));

    expect(found).toEqual(remarks.map((remark) => expect.stringContaining(remark)));
    expect((await orders(['show', id])).stdout).toContain(found.join('\n\n'));
  });

  it('names the service in each command of a remark', async () => {
    await put({ id: { N: '7' } });

    for (const form of [[], ['--json']]) {
      const { stdout } = await admin(['orders', 'show', '7', '--stage', 'staging', ...form]);

      const ends = stdout.replaceAll('\\"', '"').matchAll(/"\.\/admin orders \w+ 7([^"]*)"/g);
      expect(Array.from(ends, ([, end]) => end)).toEqual(Array(2).fill(' --stage staging'));
    }
  });

  it('fails if the response does not say that there is no order', async () => {
    proxy.reply = answer({});

    const { exitCode, stderr } = await orders(['show', '7']);

    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('DynamoDB GetItem got no response'),
    ]);
  });
});

it.each(['show', 'ship', 'cancel', 'reopen'])(
  'orders %s refuses an id without an order',
  async (verb) => {
    const refused = async (id: string) => {
      const { exitCode, stderr } = await orders([verb, id]);
      expect(exitCode).toBe(1);
      return stderr;
    };

    for (const id of ['1', '9'.repeat(38)]) {
      expect(await refused(id)).toBe(
        `error: No order has the id ${id}; check the id; GET /store/orders lists all orders\n`,
      );
    }
    for (const id of ['01', '1E400', '1'.repeat(39), '0.'.padEnd(40, '1')]) {
      expect(await refused(id)).toBe(
        `error: order id: "${id}" is not accepted; expected a number of at most 38 digits such as 1001, without leading zeros\n`,
      );
    }
  },
);
