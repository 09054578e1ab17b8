import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { orderToJson } from '../../../lambdas/domain/order-json.ts';
import { copyOrders, slackBytes } from '../../../lambdas/list-orders/order-copier.ts';
import {
  type OrderItem,
  orderItem,
  parseExactly,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';

/* Items as other people's programs write them, beside the ones that are right and look as if they were not. */

const numbers =
  '0 -0 -1 007 1.0 1.5 -1.5 1E+2 1e-30 NaN - 12a 9223372036854775807 9223372036854775808 ' +
  '-9223372036854775808 -9223372036854775809 10000000000000000000 99999999999999999999999999999999999999';
const dates =
  '2026-11-20T09:30:00+05:30|2026-11-20T23:59:59-00:00|2026-11-20T09:30:00.123456789Z|2024-02-29T00:00:00Z|' +
  '2000-02-29T00:00:00.5Z|1900-02-29T00:00:00Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-11-31T00:00:00Z|' +
  '2026-00-20T09:30:00Z|2026-13-20T09:30:00Z|2026-11-00T09:30:00Z|2026-11-20T24:00:00Z|2026-11-20T09:60:00Z|' +
  '2026-11-20T09:30:60Z|2026-11-20T09:30:00-17:59|2026-11-20T09:30:00+18:00|' +
  '0000-01-01T00:00:00Z|0001-01-01T00:00:00Z|2100-02-29T00:00:00Z|2026-11-20T09:30:00+05:60|2026-11-20T09:30:00+0530|' +
  '2026-11-20T09:30:00.000000+0000|2026-11-20T09:30:00.Z|2026-11-20T09:30:00.1234567890Z|2026-11-20T09:30:00|' +
  '2026-11-20 09:30:00Z|2026-11-20t09:30:00z|2026-11-20T09:30Z|2026-11-20|20261120T093000Z|12026-11-20T09:30:00Z|' +
  ' 2026-11-20T09:30:00Z|2026-11-20T09:30:00Z |2026-11-20T09:30:00Z"|2026/11/20T09:30:00Z|２０２６-11-20T09:30:00Z|' +
  '/026-11-20T09:30:00Z|202:-11-20T09:30:00Z|-026-11-20T09:30:00Z|tomorrow||\\|"|\n|\0|🐕|"Items":[{"id":{"N":"1"}}],"|}]}';
const collections = [
  { NULL: true },
  { B: 'MjAyNi0xMS0yMA==' },
  { L: [{ M: { id: { N: '7' }, '"}': { S: '\\"}' } } }, { L: [] }] },
  { M: { N: { N: '7' }, S: { S: '2026-11-20T09:30:00Z' }, BOOL: { BOOL: true } } },
  { NS: ['7', '8'] },
  { SS: ['2026-11-20T09:30:00Z', '}'] },
];
const values = [
  ...numbers.split(' ').map((N) => ({ N })),
  ...dates.split('|').map((S) => ({ S })),
  ...['7', 'true'].map((S) => ({ S })),
  { BOOL: true },
  ...collections,
  undefined,
] as (OrderItem[string] | undefined)[];
const names = [...orderFieldNames, 'ids', 'petIds', 'ship_ate', 'quantitz', 'i', ''];

describe('an item as another program wrote it', () => {
  it.each(values.map((value) => ({ value, json: JSON.stringify(value) })))(
    'I1: is listed without what is not of its type: $json',
    ({ value }) => {
      const items = names.map((name) => orderItem(1, { [name]: value }));

      for (const item of items) expectPlainReading([item]);
      // After one that the copier did not understand, the others would be left to the SDK.
      expectPlainReading(items.flatMap((item) => [orderItem(2), item, item]));
    },
  );

  it('I1: is listed so too if several of its values are odd', () => {
    const value = fc.constantFrom(...values.filter((value) => value !== undefined));
    const item = fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1 });

    fc.assert(fc.property(fc.array(item), expectPlainReading));
  });
});

/** Compares the copier and `orderToJson` with a reading that is as plain as it is slow. */
function expectPlainReading(stored: OrderItem[]): void {
  const page = Buffer.from(scanAnswer(stored) + ' '.repeat(slackBytes));
  const { orders, count, unlistedIds, rest } = copyOrders(page);
  const expected = stored.map(plainReading).filter((order) => order !== undefined);
  const texts = stored.map(orderToJson).filter((order) => order !== undefined);

  expect(parseExactly(`[${String(orders).slice(1)}]`)).toEqual(expected);
  expect(parseExactly(`[${texts}]`)).toEqual(expected);
  expect(count).toBe(expected.length);
  expect(unlistedIds).toEqual(
    stored.filter((item) => !plainReading(item)).map(({ id }) => id?.N ?? ''),
  );
  expect(JSON.parse(String(rest))).toMatchObject({ Items: [], Count: stored.length });
}

/** An order as `parseExactly` returns it; undefined for an item that is none. */
function plainReading({ id, petId, quantity, shipDate, complete }: OrderItem): object | undefined {
  if (!isInteger(id?.N)) return undefined;
  return {
    id: `number ${id!.N}`,
    ...(isInteger(petId?.N) && { petId: `number ${petId!.N}` }),
    ...(isInteger(quantity?.N) && { quantity: `number ${quantity!.N}` }),
    ...(isDate(shipDate?.S) && { shipDate: shipDate!.S }),
    ...(complete?.BOOL !== undefined && { complete: complete.BOOL }),
  };
}

function isInteger(text = ''): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function isDate(text = ''): boolean {
  const form =
    /^(?!0000)\d{4}-\d\d-\d\dT\d\d:[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-7]):[0-5]\d)$/;
  const day = text.slice(0, 10);
  const time = new Date(`${day}T${text.slice(11, 19)}Z`);
  // `Date` accepts the 30th of February as the 2nd of March, and 24:00 as the next day's midnight.
  return form.test(text) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
