import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { copyOrders } from '../../../lambdas/orders/order-copier.ts';
import {
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/orders/order-fields.ts';
import { orderToJson } from '../../../lambdas/orders/order-json.ts';
import {
  type OrderItem,
  orderItem,
  parseExactly,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';

/* Values that other programs write: wrong values, and right values that look wrong. */

const numbers =
  '0 -0 -1 007 1.0 1.5 -1.5 1E+2 1e-30 NaN - 12a 9223372036854775807 9223372036854775808 ' +
  '-9223372036854775808 -9223372036854775809 10000000000000000000 99999999999999999999999999999999999999';
const dates =
  '2026-11-20T09:30:00+05:30|2026-11-20T23:59:59-00:00|2026-11-20T09:30:00.123456789Z|2024-02-29T00:00:00Z|' +
  '2400-02-29T00:00:00.5Z|1900-02-29T00:00:00Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-11-31T00:00:00Z|' +
  '2026-00-20T09:30:00Z|2026-13-20T09:30:00Z|2026-11-00T09:30:00Z|2026-11-20T24:00:00Z|2026-11-20T09:60:00Z|' +
  '2026-11-20T09:30:60Z|2026-11-20T09:30:00-14:00|2026-11-20T09:30:00+14:00|2026-11-20T09:30:00+14:01|2026-11-20T09:30:00-23:00|' +
  '0001-01-01T00:59:59+01:00|0001-01-01T01:00:00+01:00|0001-01-02T00:00:00+01:00|9999-12-31T22:59:59-01:00|' +
  '9999-12-31T23:00:00-01:00|9999-12-30T23:00:00-01:00|9999-12-31T23:59:59+01:00|0001-01-01T00:00:00-01:00|' +
  '0000-01-01T00:00:00Z|0001-01-01T00:00:00Z|2100-02-29T00:00:00Z|2026-11-20T09:30:00+05:60|2026-11-20T09:30:00+0530|' +
  '2026-11-20T09:30:00.000000+0000|2026-11-20T09:30:00.Z|2026-11-20T09:30:00.1234567890Z|2026-11-20T09:30:00|' +
  '2026-11-20 09:30:00Z|2026-11-20t09:30:00z|2026-11-20T09:30Z|2026-11-20|20261120T093000Z|12026-11-20T09:30:00Z|' +
  ' 2026-11-20T09:30:00Z|2026-11-20T09:30:00Z |2026-11-20T09:30:00Z"|2026/11/20T09:30:00Z|２０２６-11-20T09:30:00Z|' +
  '2026-11-20T09:30:00 05:30|2026-11-20T09:30:00Z}}|/026-11-20T09:30:00Z|202:-11-20T09:30:00Z|-026-11-20T09:30:00Z|' +
  'tomorrow||\\|"|\n|\0|🐕|"Items":[{"id":{"N":"1"}}],"|}]}';
const collections = [
  { NULL: true },
  { B: 'MjAyNi0xMS0yMA==' },
  { L: [{ M: { id: { N: '7' }, '"}': { S: '\\"}' } } }, { L: [] }] },
  { M: { N: { N: '7' }, S: { S: '2026-11-20T09:30:00Z' }, BOOL: { BOOL: true } } },
  { NS: ['7', '8'] },
  { SS: ['2026-11-20T09:30:00Z', '}'] },
] as unknown as AttributeValue[];

/** For each rule of a field, values that keep it and values that break it. */
const valuesOfRule: Record<keyof OrderField, (OrderItem[string] | undefined)[]> = {
  type: [
    ...['7', 'true', '2026-11-20T09:30:00Z'].map((S) => ({ S })),
    { N: '7' },
    { BOOL: true },
    ...collections,
    undefined,
  ],
  format: [...numbers.split(' ').map((N) => ({ N })), ...dates.split('|').map((S) => ({ S }))],
};
const values = Object.values(valuesOfRule).flat();
const names = [...orderFieldNames, 'ids', 'petIds', 'ship_ate', 'quantitz', 'i', ''];

describe('copyOrders', () => {
  it('converts the fields to plain JSON and leaves an empty list to the SDK', () => {
    const items: OrderItem[] = [
      { id: { N: '1' }, petId: { N: '7' }, shipDate: { S: '2026-11-20T09:30:00Z' } },
      { id: { N: '-2' }, quantity: { N: '2' }, complete: { BOOL: false } },
    ];

    const { json, itemCount, rest } = copy(scanAnswer(items, '-2'));

    expect(json).toBe(
      ',{"id":1,"petId":7,"shipDate":"2026-11-20T09:30:00Z"},{"id":-2,"quantity":2,"complete":false}',
    );
    expect(itemCount).toBe(2);
    expect(rest).toBe(
      '{"Count":2,"Items":[],"LastEvaluatedKey":{"id":{"N":"-2"}},"ScannedCount":2}',
    );
  });

  it.each([
    ['spaces', JSON.stringify({ Items: [orderItem(1)] }, null, 1)],
    ['a space in a value', '{"Items":[{"id":{"N":"1" },"petId":{"N":"2"}}]}'],
    ['a space in a value of another type', '{"Items":[{"id":{"N":"1"},"petId":{"NULL": true}}]}'],
    ['a space after a value', '{"Items":[{"id":{"N":"1"} ,"petId":{"N":"2"}}]}'],
    ['an item outside of a list', '{"id":{"N":"1"}} '],
    ['an escape of a digit', '{"Items":[{"shipDate":{"S":"\\u0032026-11-20T09:30:00Z"}}]}'],
    ['an escaped name', '{"Items":[{"\\u0069d":{"N":"1"}}]}'],
    ['a list with an escaped name', '{"\\u0049tems":[{"id":{"N":"1"}}]}'],
    ['an item without attributes', '{"Items":[{}]}'],
    [
      'an item that is longer than the room for its order',
      scanAnswer([orderItem('7'.repeat(2_000))]),
    ],
    ['no list', '{"Count":0}'],
    ['nothing', ''],
  ])('leaves a page unchanged to the SDK if it contains %s', (_what, page) => {
    expect(copy(page)).toEqual({ json: '', itemCount: 0, unlistedIds: [], rest: page });
  });

  it('does not mistake the text of a string for the list', () => {
    const page = '{"LastEvaluatedKey":{"x":{"S":"\\"Items\\":[{}]"}},"Items":[{"id":{"N":"1"}}]}';

    expect(copy(page).json).toBe(',{"id":1}');
  });

  it('reads nothing beyond a page, wherever it ends and whatever its memory contained before', () => {
    const start = '{"Items":[';
    const item = JSON.stringify(orderItem(1, { shipDate: { S: '"\\' } }));
    const memory = Buffer.from(`${start}${item},${item},${item}]}`);
    const lengths = Array.from({ length: memory.length }, (_, length) => length);

    const counts = lengths.map((length) => copyOrders([memory.subarray(0, length)]).itemCount);

    expect(counts).toEqual(
      lengths.map((length) => {
        const itemsAndCommas = (length - start.length) / (item.length + 1);
        return Math.max(0, Math.floor(itemsAndCommas));
      }),
    );
  });

  it('leaves out items whose id is not an int64, and returns these ids', () => {
    const items = [orderItem(1), orderItem('1.5'), orderItem(2, { id: undefined }), orderItem(3)];

    const { json, itemCount, unlistedIds } = copy(scanAnswer(items));

    expect(parseOrders(json)).toMatchObject([{ id: 'number 1' }, { id: 'number 3' }]);
    expect([itemCount, unlistedIds]).toEqual([4, ['1.5', '']]);
  });

  it.each(values.map((value) => ({ value, json: JSON.stringify(value) })))(
    'I1: leaves out what is not of its type: $json',
    ({ value }) => {
      const items = names.flatMap((name) => [orderItem(2), orderItem(1, { [name]: value })]);

      const { json, itemCount } = copy(scanAnswer(items));

      // If the copier did not understand an item, it would leave all further items to the SDK.
      expect(itemCount).toBe(items.length);
      expect(parseOrders(json)).toEqual(ordersIn(items));
    },
  );

  it.each(
    Object.entries(orderFields).flatMap(([name, field]) =>
      Object.keys(field).map((rule) => ({ name, rule: rule as keyof OrderField })),
    ),
  )(
    'I1: leaves out of $name what breaks its rule "$rule", as orderToJson does',
    ({ name, rule }) => {
      // A new rule needs values in `valuesOfRule`.
      expect(Object.keys(valuesOfRule)).toContain(rule);
      const items = valuesOfRule[rule].map((value) => orderItem(1, { [name]: value }));

      const orders = items.map((item) => jsonOf([item]));

      const isKept = orders.map((order) => order.includes(`"${name}":`));
      expect(new Set(isKept)).toEqual(new Set([true, false]));
      expect(items.map((item) => copy(scanAnswer([item])).json)).toEqual(orders);
    },
  );

  it('I1: converts every page, together with orderToJson, like a plain reading', () => {
    fc.assert(
      fc.property(fc.array(anyItem), fc.boolean(), (items, isEscaped) => {
        const page = scanAnswer(items);

        const { json, itemCount, rest } = copy(isEscaped ? escaped(page) : page);

        const { Items: left } = JSON.parse(rest);
        expect(parseOrders(json + jsonOf(left))).toEqual(ordersIn(items));
        expect(parseOrders(jsonOf(items))).toEqual(ordersIn(items));
        expect(itemCount + left.length).toBe(items.length);
        // Only an escape lets the copier leave items to the SDK.
        if (!isEscaped) expect(left).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

function copy(page: string) {
  const memory = Buffer.from(page);
  const { orders, rest, ...others } = copyOrders([memory]);
  // A chunk's memory belongs to the SDK.
  memory.fill('#');
  return { ...others, json: orders.toString(), rest: rest.toString() };
}

/** The orders as `orderToJson` writes them, in the copier's form. */
function jsonOf(items: OrderItem[]): string {
  const orders = items.map(orderToJson).filter((order) => order !== undefined);
  return orders.map((order) => `,${order}`).join('');
}

function parseOrders(json: string): unknown {
  return parseExactly(`[${json.slice(1)}]`);
}

/** The orders among items, which a plain and slow function reads. They have the form that `parseExactly` returns. */
function ordersIn(items: OrderItem[]): object[] {
  return items.map(plainReading).filter((order) => order !== undefined);
}

/** Undefined for an item that is not an order. */
function plainReading(item: OrderItem): object | undefined {
  const fields: [string, OrderField][] = Object.entries(orderFields);
  const values = fields.map(([name, field]) => [name, plainValue(item[name] ?? {}, field)]);
  const order = Object.fromEntries(values);
  return order.id === undefined ? undefined : order;
}

function plainValue({ N, S, BOOL }: Partial<AttributeValue>, { type, format }: OrderField) {
  if (type === 'integer') return isInteger(N) ? `number ${N}` : undefined;
  if (type === 'boolean') return BOOL;
  return format === undefined || isDate(S) ? S : undefined;
}

function isInteger(text = ''): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function isDate(text = ''): boolean {
  const form =
    /^\d{4}-\d\d-\d\dT\d\d:[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/;
  const day = text.slice(0, 10);
  const local = new Date(`${day}T${text.slice(11, 19)}Z`);
  // `Date` accepts the 30th of February as the 2nd of March, and 24:00 as the next day's midnight.
  if (!form.test(text) || Number.isNaN(local.getTime()) || !local.toISOString().startsWith(day))
    return false;
  const [year] = new Date(text).toISOString().split(/(?!^)-/);
  return Number(year) >= 1 && Number(year) <= 9999;
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const anyText = fc.string({
  // A JavaScript string can contain half of a surrogate pair, which JSON has to escape.
  unit: fc.constantFrom(...'a0"\\{}[],:\0\n\x7fé\u2028', '\ud800', '\udc00', '🐕'),
});
const anyName = fc.oneof(fc.constantFrom(...names), anyText);
const anyValue = fc.oneof(
  fc.constantFrom(...values),
  int64.map((N) => ({ N })),
  fc.date({ noInvalidDate: true }).map((date) => ({ S: date.toISOString() })),
  anyText.map((S) => ({ S })),
  anyText.map((text) => ({ M: { [text]: { S: text } } })),
);

/** Some attributes of an order and some other attributes, in any sequence. */
const anyItem: fc.Arbitrary<OrderItem> = fc
  .tuple(int64, fc.dictionary(anyName, anyValue))
  .chain(([id, odd]) => fc.shuffledSubarray(Object.entries(orderItem(id, odd)), { minLength: 1 }))
  .map((attributes) => Object.fromEntries(attributes));

/** A page with every character beyond ASCII escaped, which DynamoDB may do. */
function escaped(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
