import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, put, stored } = await ordersOfEachTest();

const bytes = (...values: number[]) => new Uint8Array(values);
/** Attributes of every type, as another program can store them. */
const everyType: Record<string, AttributeValue> = {
  text: { S: 'a;=1\n"\u001b' },
  empty: { S: '' },
  digits: { N: '-1.2345678901234567890123456789012345678' },
  tiny: { N: `0.${'0'.repeat(129)}1` },
  binary: { B: bytes(0, 255) },
  emptyBinary: { B: bytes() },
  no: { BOOL: false },
  nothing: { NULL: true },
  texts: { SS: ['', 'a', 'b'] },
  numbers: { NS: ['9.5', '10'] },
  binaries: { BS: [bytes(0, 200), bytes(1)] },
  list: { L: [{ L: [] }, { M: {} }, { N: '1' }, { SS: ['N'] }, { NULL: true }] },
  map: { M: { 'a.b': { S: 'x' }, N: { N: '1' }, id: { S: 'x' }, 'ü"': { B: bytes(7) } } },
  "a name with a dot. and 'quotes' #:": { S: 'x' },
  ['x'.repeat(9_000)]: { S: 'x' },
};
const everyTypeOrder = {
  id: { N: '1' },
  status: { S: 'pending' },
  petId: { N: '7' },
  ...everyType,
};
/** Items whose own fields have values that the API cannot show, or no state. */
const odd: Record<string, AttributeValue>[] = [
  { id: { N: '2' } },
  { id: { N: '1.5' }, status: { S: 'pending' } },
  { id: { N: '12345678901234567890' }, status: { S: 'pending' } },
  { id: { N: '-4' }, status: { S: 'Pending' }, quantity: { S: '2' }, complete: { S: 'true' } },
  { id: { N: '5' }, status: { NULL: true }, petId: { SS: ['x'] }, shipDate: { S: 'soon' } },
  { id: { N: '6' }, status: { S: '' }, cancelledAt: { N: '5' }, cancelledBy: { S: '' } },
  { id: { N: '7' }, status: { M: {} }, Item: { M: { id: { N: '8' } } }, reopenedBy: { S: 'null' } },
];

/** What is stored, sorted by the ids. */
const sorted = async () =>
  (await stored()).sort((one, other) => (one.id!.N! < other.id!.N! ? -1 : 1));

describe('attributes of other programs', () => {
  it('come back from an export exactly after a deletion with the same file', async () => {
    for (const item of [everyTypeOrder, ...odd]) await put(item);
    const before = await sorted();

    const { stdout: exported } = await orders(['export']);
    const out = file(exported);
    const deleted = await orders(['delete', out, '--yes']);
    const left = await stored();
    const imported = await orders(['import', out]);

    expect(deleted.stdout).toMatch(/^Deleted 8 orders in \d+\.\d s\.\n$/);
    expect(left).toEqual([]);
    expect(imported.stdout).toMatch(/^Imported 8 orders in /);
    expect(await sorted()).toEqual(before);
    const again = (await orders(['export'])).stdout;
    expect(again.split('\n').sort()).toEqual(exported.split('\n').sort());
    expect((await orders(['import', out])).stdout).toContain('8 already there');
  });

  it('are kept by every command that changes an order', async () => {
    await put(everyTypeOrder);
    const update = file('{"id":1,"petId":8}');

    for (const words of ['cancel 1', 'reopen 1 --yes', `import --update ${update}`, 'ship 1']) {
      const { exitCode } = await orders(words.split(' '));

      expect([words, exitCode]).toEqual([words, 0]);
      expect(await stored()).toMatchObject([everyType]);
    }
  });

  it('are compared by an import, as DynamoDB compares them, and left as they are', async () => {
    const status = { S: 'pending' };
    await put({ id: { N: '1' }, status, set: { NS: ['1', '2'] }, map: { M: {} } });
    const line = (attributes: string) => file(`{"id":1,${attributes}}`);

    const same = await orders(['import', line('"map":{"M":{}},"set":{"NS":["2.0","1"]}')]);
    const words = ['import', '--update', line('"set":{"NS":["3"]},"new":{"S":"x"}')];
    const other = await orders(words);

    expect(same.stdout).toContain('1 already there');
    expect(other).toMatchObject({ exitCode: 4 });
    expect(other.stdout).toContain(
      'order 1 has set a collection, the line says a collection; has no new, the line says "x"\n',
    );
    expect(await stored()).toEqual([expect.not.objectContaining({ new: expect.anything() })]);
  });
});
