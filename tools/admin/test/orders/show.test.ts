import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
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

  it.each<[string, Record<string, AttributeValue>, ...RegExp[]]>([
    ['nothing', { ...pending, shipDate: { S: '2026-11-20T09:30:00.123456789+05:30' } }],
    ['nothing', { status: { S: 'shipped' }, complete: { BOOL: true }, shippedAt: { S: 'soon' } }],
    ['quantity', { ...pending, quantity: { N: '1.5' } }, /quantity, because it is not an integer/],
    ['petId', { ...pending, petId: { N: '9223372036854775808' } }, /petId, because it is not an/],
    ['complete', { ...pending, complete: { S: 'true' } }, /complete, because .* not true or false/],
    [
      'shipDate',
      { ...pending, shipDate: { S: '2026-11-20' } },
      /shipDate, because .* not a date-t/,
    ],
    [
      'a wrong complete',
      { ...pending, complete: { BOOL: true } },
      /complete is true, but .* pending/,
    ],
    [
      'an unknown status',
      { status: { S: 'pending ' } },
      /^Clients cannot cancel it, because it has the unknown status "pending ": if its parcel has left, "\.\/admin orders ship 7" marks it as shipped; if not, "\.\/admin orders reopen 7" makes/,
    ],
  ])('says what the API leaves out, or why nobody can cancel it: %s', async (...given) => {
    const [, item, ...remarks] = given;
    await put({ id: { N: '7' }, ...item });

    const { remarks: found } = JSON.parse(await shown('7'));

    expect(found).toEqual(remarks.map((remark) => expect.stringMatching(remark)));
    expect((await orders(['show', '7'])).stdout).toContain(found.join('\n\n'));
  });

  it.each([[[]], [['--json']]])(
    'names the service in each command of a remark: %j',
    async (words) => {
      await put({ id: { N: '7' } });

      const { stdout } = await admin(['orders', 'show', '7', '--local', proxy.url, ...words]);

      const ends = stdout.replaceAll('\\"', '"').matchAll(/"\.\/admin orders \w+ 7([^"]*)"/g);
      expect(Array.from(ends, ([, end]) => end)).toEqual(Array(2).fill(` --local ${proxy.url}`));
    },
  );

  it('shows an item whose id is not an int64', async () => {
    await put({ id: { N: '-0.0015' }, quantity: { S: 'x' } });

    expect(await shown('-0.0015')).toBe(
      '{"order":{"id":-0.0015,"quantity":"x"},"remarks":["The API leaves out this item, because its id is not an int64."]}\n',
    );
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
    expect(await orders([verb, '1'])).toMatchObject({
      exitCode: 1,
      stderr: 'error: No order has the id 1; check the id; GET /store/orders lists all orders\n',
    });
    for (const id of ['01', '1E400', '1'.repeat(39), '0.'.padEnd(40, '1')]) {
      expect(await orders([verb, id])).toMatchObject({
        exitCode: 1,
        stderr: `error: order id: "${id}" is not accepted; expected a number of at most 38 digits such as 1001, without leading zeros\n`,
      });
    }
    expect((await orders([verb, '9'.repeat(38)])).stderr).toMatch(/^error: No order has the id 9/);
  },
);
