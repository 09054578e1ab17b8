import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/orders/order-fields.ts';
import { orderToJson } from '../../../lambdas/orders/orders-pages.ts';
import { type OrderItem, orderItem, parseExactly } from '../../helpers/dynamodb/orders.ts';

/* Values that other programs can write: invalid values, and valid values that look invalid. */

const numbers =
  '0 -0 -1 +1 007 1.0 1.5 -1.5 1E+2 1e-30 NaN - 12a 9223372036854775807 9223372036854775808 ' +
  '-9223372036854775808 -9223372036854775809 10000000000000000000 99999999999999999999999999999999999999';
const dates =
  '2026-11-20T09:30:00+05:30|2026-11-20T23:59:59-00:00|2026-11-20T09:30:00.123456789Z|2024-02-29T00:00:00Z|' +
  '2400-02-29T00:00:00.5Z|1900-02-29T00:00:00Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-11-31T00:00:00Z|' +
  '2026-00-20T09:30:00Z|2026-13-20T09:30:00Z|2026-11-00T09:30:00Z|2026-11-20T24:00:00Z|2026-11-20T09:60:00Z|' +
  '2026-11-20T09:30:60Z|2026-11-20T09:30:00-14:00|2026-11-20T09:30:00+14:00|2026-11-20T09:30:00+14:01|2026-11-20T09:30:00-23:00|' +
  '0001-01-01T00:59:59+01:00|0001-01-01T01:00:00+01:00|0001-01-02T00:00:00+01:00|9999-12-31T22:59:59-01:00|' +
  '9999-12-31T23:00:00-01:00|9999-12-30T23:00:00-01:00|9999-12-31T23:59:59+01:00|0001-01-01T00:00:00-01:00|' +
  '0000-01-01T00:00:00Z|0000-12-31T23:59:59-01:00|0001-01-01T00:00:00Z|2100-02-29T00:00:00Z|2026-11-20T09:30:00+05:60|2026-11-20T09:30:00+0530|' +
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
const names = [...orderFieldNames, 'ids', 'petIds', 'ship_ate', ''];

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
// A JavaScript string can contain half of a surrogate pair, which JSON has to escape.
const anyText = fc.string({
  unit: fc.constantFrom(...'a0"\\{}[],:\0\n\x7fé\u2028', '\ud800', '🐕'),
});
const anyValue = fc.oneof(
  fc.constantFrom(...values),
  int64.map((N) => ({ N })),
  fc.date({ noInvalidDate: true }).map((date) => ({ S: date.toISOString() })),
  anyText.map((S) => ({ S })),
);

/** Some attributes of an order and some other attributes, in any sequence. */
const anyItem: fc.Arbitrary<OrderItem> = fc
  .tuple(int64, fc.dictionary(fc.oneof(fc.constantFrom(...names), anyText), anyValue))
  .chain(([id, odd]) => fc.shuffledSubarray(Object.entries(orderItem(id, odd)), { minLength: 1 }))
  .map((attributes) => Object.fromEntries(attributes));

describe('orderToJson', () => {
  it('writes the fields in their published sequence, as plain JSON', () => {
    const item = {
      complete: { BOOL: false },
      id: { N: '-9223372036854775808' },
      status: { S: 'pending' },
    };

    expect(orderToJson(item)).toBe('{"id":-9223372036854775808,"complete":false}');
  });

  it.each(
    Object.entries(orderFields).flatMap(([name, field]) =>
      Object.keys(field).map((rule) => ({ name, rule: rule as keyof OrderField })),
    ),
  )('I1: leaves out of $name what breaks its rule "$rule", and nothing else', ({ name, rule }) => {
    const items = valuesOfRule[rule].map((value) => orderItem(1, { [name]: value }));

    const isKept = items.map((item) => orderToJson(item)?.includes(`"${name}":`) ?? false);

    // Both, so that a new rule needs values in `valuesOfRule`.
    expect(new Set(isKept)).toEqual(new Set([true, false]));
  });

  it('I1: writes the same JSON as a plain implementation, which leaves out what breaks the rules of a field', () => {
    const odd = names.flatMap((name) => values.map((value) => orderItem(1, { [name]: value })));
    expect(odd.map(read)).toEqual(odd.map(plainReading));

    fc.assert(
      fc.property(anyItem, (item) => expect(read(item)).toEqual(plainReading(item))),
      { numRuns: 5_000 },
    );
  });
});

/** The order that `orderToJson` writes. */
function read(item: OrderItem): unknown {
  const json = orderToJson(item);
  return json === undefined ? undefined : parseExactly(json);
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
  return text >= '0001' && Number(year) >= 1 && Number(year) <= 9999;
}
