import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type OrderFieldName, orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { orderToJson } from '../../../lambdas/domain/order-json.ts';
import { copyOrders, slackBytes } from '../../../lambdas/list-orders/order-copier.ts';
import {
  type OrderItem,
  orderItem,
  orderItems,
  parseExactly,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';

/* Values as other people's programs write them, beside the ones that are right and look as if they were not. */

const numbers =
  '0 -0 -1 007 1.0 1.5 -1.5 1E+2 1e-30 NaN - 12a 9223372036854775807 9223372036854775808 ' +
  '-9223372036854775808 -9223372036854775809 10000000000000000000 99999999999999999999999999999999999999';
const dates =
  '2026-11-20T09:30:00+05:30|2026-11-20T23:59:59-00:00|2026-11-20T09:30:00.123456789Z|2024-02-29T00:00:00Z|' +
  '2400-02-29T00:00:00.5Z|1900-02-29T00:00:00Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-11-31T00:00:00Z|' +
  '2026-00-20T09:30:00Z|2026-13-20T09:30:00Z|2026-11-00T09:30:00Z|2026-11-20T24:00:00Z|2026-11-20T09:60:00Z|' +
  '2026-11-20T09:30:60Z|2026-11-20T09:30:00-17:59|2026-11-20T09:30:00+18:00|' +
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

describe('copyOrders', () => {
  it('converts the fields to plain JSON and leaves an empty list to the SDK', () => {
    const items: OrderItem[] = [
      { id: { N: '1' }, petId: { N: '7' }, shipDate: { S: '2026-11-20T09:30:00Z' } },
      { id: { N: '-2' }, quantity: { N: '2' }, complete: { BOOL: false } },
    ];

    const { json, count, rest } = copy(scanAnswer(items, '-2'));

    expect(json).toBe(
      ',{"id":1,"petId":7,"shipDate":"2026-11-20T09:30:00Z"},{"id":-2,"quantity":2,"complete":false}',
    );
    expect(count).toBe(2);
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
    ['no list', '{"Count":0}'],
    ['nothing', ''],
  ])('leaves a page unchanged to the SDK if it contains %s', (_what, page) => {
    const nothing = { json: '', count: 0, itemCount: 0, ids: [], unlistedIds: [] };

    expect(copy(page)).toEqual({ ...nothing, rest: page });
  });

  it('does not mistake the text of a string for the list', () => {
    const page = '{"LastEvaluatedKey":{"x":{"S":"\\"Items\\":[{}]"}},"Items":[{"id":{"N":"1"}}]}';

    expect(copy(page).json).toBe(',{"id":1}');
  });

  it('reads nothing beyond a page, wherever it ends and whatever its memory contained before', () => {
    const start = '{"Items":[';
    const item = JSON.stringify(orderItem(1, { shipDate: { S: '"\\' } }));
    const memory = Buffer.from(`${start}${item},${item},${item}]}`);
    const lengths = Array.from({ length: memory.length - slackBytes }, (_, length) => length);

    const counts = lengths.map(
      (length) => copyOrders(Buffer.from(memory.subarray(0, length + slackBytes))).itemCount,
    );

    expect(counts).toEqual(
      lengths.map((length) => {
        const itemsAndCommas = (length - start.length) / (item.length + 1);
        return Math.max(0, Math.floor(itemsAndCommas));
      }),
    );
  });

  it('leaves out the excepted items, and returns the ids of all', () => {
    const page = scanAnswer([...orderItems(3), orderItem('1.5'), orderItem('2.5')]);

    const { json, ...others } = copy(page, new Set(['2', '2.5']));

    const ids = ['1', '2', '3', '1.5', '2.5'];
    expect(others).toMatchObject({ count: 2, itemCount: 5, ids, unlistedIds: ['1.5'] });
    expect(json).not.toContain('"id":2');
  });

  it.each(values.map((value) => ({ value, json: JSON.stringify(value) })))(
    'I1: leaves out what is not of its type: $json',
    ({ value }) => {
      const items = names.map((name) => orderItem(1, { [name]: value }));

      for (const item of items) expectPlainReading([item]);
      // After one that the copier did not understand, the others would be left to the SDK.
      expectPlainReading(items.flatMap((item) => [orderItem(2), item, item]));
    },
  );

  it('I1: converts every page, together with the SDK, like a plain reading', () => {
    fc.assert(
      fc.property(anyPage, ({ items, page, isUsual }) => expectPlainReading(items, page, isUsual)),
      { numRuns: 500 },
    );
  });
});

function copy(page: string, except?: ReadonlySet<string>) {
  const memory = Buffer.from(page + '}'.repeat(slackBytes));
  const { orders, rest, ...others } = copyOrders(memory, except);
  // The memory of the page is freed or used again.
  memory.fill('#');
  return { ...others, json: orders.toString(), rest: rest.toString() };
}

/**
 * Compares the copier, and `orderToJson` for what it leaves to the SDK, with a reading that is as plain as it
 * is slow.
 *
 * @param isUsual whether the page has DynamoDB's usual form, of which nothing is left to the SDK
 */
function expectPlainReading(items: OrderItem[], page = scanAnswer(items), isUsual = true): void {
  const { json, count, itemCount, unlistedIds, rest } = copy(page);
  const { Items: left, ...others } = JSON.parse(rest);
  const { Items: _, ...given } = JSON.parse(page);
  const expected = items.map(plainReading).filter((order) => order !== undefined);

  expect(parseOrders(json + ordersByJson(left))).toEqual(expected);
  expect(parseOrders(ordersByJson(items))).toEqual(expected);
  expect(itemCount + left.length).toBe(items.length);
  expect(others).toEqual(given);
  if (!isUsual) return;
  expect(left).toEqual([]);
  expect(count).toBe(expected.length);
  expect(unlistedIds).toEqual(
    items.filter((item) => !plainReading(item)).map(({ id }) => id?.N ?? ''),
  );
}

function ordersByJson(items: OrderItem[]): string {
  const orders = items.map(orderToJson).filter((order) => order !== undefined);
  return orders.map((order) => `,${order}`).join('');
}

function parseOrders(json: string): unknown {
  return parseExactly(`[${json.slice(1)}]`);
}

/** An order as `parseExactly` returns it; undefined for an item that is none. */
function plainReading({ id, petId, quantity, shipDate, complete }: OrderItem): object | undefined {
  if (!isInteger(id?.N)) return undefined;
  return {
    id: `number ${id!.N}`,
    petId: isInteger(petId?.N) ? `number ${petId!.N}` : undefined,
    quantity: isInteger(quantity?.N) ? `number ${quantity!.N}` : undefined,
    shipDate: isDate(shipDate?.S) ? shipDate!.S : undefined,
    complete: complete?.BOOL,
  } satisfies Record<OrderFieldName, unknown>;
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

/** Some attributes of an order and others, in any order. */
const anyItem: fc.Arbitrary<OrderItem> = fc
  .tuple(int64, fc.dictionary(anyName, anyValue))
  .chain(([id, odd]) => fc.shuffledSubarray(Object.entries(orderItem(id, odd)), { minLength: 1 }))
  .map((attributes) => Object.fromEntries(attributes));

const anyPage = fc
  .record({
    items: fc.array(anyItem),
    lastId: fc.option(int64, { nil: undefined }),
    space: fc.constantFrom('', '', '', '', ' '),
    isEscaped: fc.boolean(),
    order: fc.shuffledSubarray(['Count', 'Items', 'LastEvaluatedKey', 'ScannedCount'], {
      minLength: 4,
    }),
  })
  .map(({ items, lastId, space, isEscaped, order }) => {
    const members = JSON.parse(scanAnswer(items, lastId));
    const ordered = Object.fromEntries(order.map((name) => [name, members[name]]));
    const page = JSON.stringify(ordered, null, space);
    return { items, page: isEscaped ? escaped(page) : page, isUsual: !isEscaped && space === '' };
  });

/** The same JSON with every non-ASCII character escaped, which DynamoDB may do. */
function escaped(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
