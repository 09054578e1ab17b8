import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { OrderCopier } from '../../../lambdas/list-orders/order-copier.ts';
import { createOrderLayout, type OrderLayout } from '../../../lambdas/list-orders/order-layout.ts';
import { orderToJson } from '../../../lambdas/list-orders/orders-page.ts';
import {
  BufferPool,
  type KeepOrder,
  PageTranscoder,
} from '../../../lambdas/list-orders/page-transcoder.ts';
import {
  attributeTypes,
  type OrderField,
  orderFields,
} from '../../../lambdas/shared/order-fields.ts';
import { anyText } from '../../helpers/any-text.ts';
import {
  type OrderItem,
  orderItem,
  orderItems,
  parseExactly,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';

const pool = new BufferPool();

describe('PageTranscoder', () => {
  it('makes plain JSON of the fields and leaves an empty list to the SDK', () => {
    const items: OrderItem[] = [
      { id: { N: '1' }, petId: { N: '7' }, shipDate: { S: '2026-11-20T09:30:00Z' } },
      { id: { N: '-2' }, quantity: { N: '2' }, complete: { BOOL: false } },
    ];

    const { json, count, rest } = transcode(scanAnswer(items, '-2'));

    expect(json).toBe(
      ',{"id":1,"petId":7,"shipDate":"2026-11-20T09:30:00Z"},{"id":-2,"quantity":2,"complete":false}',
    );
    expect(count).toBe(2);
    expect(rest).toBe(
      '{"Count":2,"Items":[],"LastEvaluatedKey":{"id":{"N":"-2"}},"ScannedCount":2}',
    );
  });

  it.each([
    ['a NULL', { shipDate: { NULL: true } }],
    ['a list', { shipDate: { L: [{ S: 'x' }] } }],
    ['a map', { shipDate: { M: { id: { N: '1' } } } }],
    ['a set', { shipDate: { SS: ['x'] } }],
    ['a fraction', { quantity: { N: '1.5' } }],
    ['an exponent', { quantity: { N: '1E+2' } }],
    ['an integer above int64', { petId: { N: '9223372036854775808' } }],
    ['an integer below int64', { petId: { N: '-9223372036854775809' } }],
    ['an integer of twenty digits', { petId: { N: '10000000000000000000' } }],
    ['a leading zero', { quantity: { N: '007' } }],
    ['a negative zero', { quantity: { N: '-0' } }],
    ['no digits', { quantity: { N: '' } }],
    ['letters behind its digits', { quantity: { N: '12a' } }],
    ['only a minus', { quantity: { N: '-' } }],
    ['an id that is a string', { id: { S: '1' } }],
    ['a date that is a number', { shipDate: { N: '1795000000' } }],
    ['a truth value that is a string', { complete: { S: 'false' } }],
    ['a truth value that is a number', { complete: { BOOL: 12345 } }],
    ['a number that is a truth value', { quantity: { BOOL: true } }],
    ['an attribute of another name', { ids: { N: '1' } }],
    ['an attribute whose name begins like another', { petIds: { N: '1' } }],
  ])('leaves an item with %s, and all after it, to the SDK', (_what, odd) => {
    const odds = orderItem(2, odd as OrderItem);

    const { count, rest } = transcode(scanAnswer([orderItem(1), odds, orderItem(3)], '3'));

    expect(count).toBe(1);
    expect(JSON.parse(rest)).toMatchObject({
      Items: [odds, orderItem(3)],
      LastEvaluatedKey: { id: { N: '3' } },
    });
  });

  it.each([
    ['spaces', JSON.stringify({ Items: [orderItem(1)] }, null, 1)],
    ['a space behind a value', '{"Items":[{"id":{"N":"1"} }]}'],
    ['an item outside of a list', '{"id":{"N":"1"}} '],
    ['an escaped name', '{"Items":[{"\\u0069d":{"N":"1"}}]}'],
    ['an escaped list', '{"\\u0049tems":[{"id":{"N":"1"}}]}'],
    ['a field twice', '{"Items":[{"id":{"N":"1"},"id":{"N":"2"}}]}'],
    ['an item without attributes', '{"Items":[{}]}'],
    ['no list', '{"Count":0}'],
    ['nothing', ''],
  ])('leaves a page with %s to the SDK as it is', (_what, page) => {
    expect(transcode(page)).toEqual({ json: '', count: 0, itemCount: 0, rest: page });
  });

  it('does not take the text of a string for the list', () => {
    const page = '{"LastEvaluatedKey":{"x":{"S":"\\"Items\\":[{}]"}},"Items":[{"id":{"N":"1"}}]}';

    expect(transcode(page).json).toBe(',{"id":1}');
  });

  it('writes strings that are longer than a buffer', () => {
    // An item has 400 KB, of which every character can be six in JSON.
    const items = ['a', 'b', 'c'].map((letter, index) =>
      orderItem(index, { shipDate: { S: letter.repeat(600_000) } }),
    );

    const { json, rest } = transcode(scanAnswer(items), { cut: chunksOf(50_000) });

    expect(parseExactly(`[${json.slice(1)}]`)).toEqual(plainOrders(items));
    expect(JSON.parse(rest).Items).toEqual([]);
  });

  it('understands an item that is cut anywhere at the very end of its memory', () => {
    const start = '{"Items":[';
    const item = JSON.stringify(orderItem(2));
    const memoryBytes = 32 * 1024;
    // In steps of three, the places of the cuts within words of four bytes take turns.
    for (let cutAt = 1; cutAt <= item.length; cutAt += 3) {
      const shipDate = (length: number) =>
        JSON.stringify(orderItem(1, { shipDate: { S: 'x'.repeat(length) } }));
      // Every other time, one byte more has arrived than there is memory.
      const arrivedBytes = memoryBytes + (cutAt % 2);
      const before = shipDate(arrivedBytes - cutAt - ','.length - shipDate(0).length);
      const cut: Cut = (body) => [
        body.subarray(0, start.length),
        body.subarray(start.length, start.length + arrivedBytes),
        body.subarray(start.length + arrivedBytes),
      ];

      const { count, rest } = transcode(`${start}${before},${item}]}`, { cut });

      expect({ count, rest }).toEqual({ count: 2, rest: '{"Items":[]}' });
    }
  });

  it('reads nothing behind what has arrived, wherever a chunk ends and whatever its memory held before', () => {
    const items = `${JSON.stringify(orderItem(1, { shipDate: { S: '"\\' } }))},`.repeat(2);

    const counts = Array.from(items, (_, length) => {
      const transcoder = new PageTranscoder(pool);
      for (const chunk of ['{"Items":[', items, items.slice(0, length)]) {
        transcoder.push(Buffer.from(chunk));
      }
      return transcoder.itemCount;
    });

    expect(counts).toEqual(Array.from(items, (_, length) => (length < items.length / 2 ? 2 : 3)));
  });

  it('converts what has arrived, and does not wait for more', () => {
    const transcoder = new PageTranscoder(pool);
    const items = orderItems(5).map((item) => JSON.stringify(item));
    transcoder.push(Buffer.from('{"Items":['));

    const counts = items.map((item) => {
      transcoder.push(Buffer.from(`${item},`));
      return transcoder.count;
    });

    expect(counts).toEqual([1, 2, 3, 4, 5]);
  });

  it('does not read a long item again with each of its chunks', () => {
    const reads = jest.spyOn(OrderCopier.prototype, 'read');
    const item = orderItem(1, { shipDate: { S: 'x'.repeat(50_000) } });

    const { count } = transcode(scanAnswer([item]), { cut: chunksOf(50) });

    expect(count).toBe(1);
    expect(reads.mock.calls.length).toBeLessThan(30);
    reads.mockRestore();
  });

  it('fills its buffers, whatever has arrived at once', () => {
    const items = orderItems(7_000);
    const transcoder = new PageTranscoder(pool);

    transcoder.push(Buffer.from(scanAnswer(items)));
    transcoder.finish();

    expect(Buffer.concat(transcoder.buffers).toString()).toBe(
      items.map((item) => `,${orderToJson(item)}`).join(''),
    );
    const [last, ...others] = transcoder.buffers.toReversed().map(({ length }) => length);
    expect(last).toBeGreaterThan(0);
    expect(others).not.toEqual([]);
    for (const length of others) expect(length).toBeGreaterThan(511 * 1024);
  });

  it('shows each id once, and leaves out the orders that are not kept', () => {
    const seen: string[] = [];
    const keep: KeepOrder = (id) => {
      seen.push(id);
      return id !== '2';
    };

    const page = scanAnswer([...orderItems(3), { petId: { N: '7' } }]);
    const { json, count, itemCount } = transcode(page, { cut: chunksOf(10), keep });

    expect(seen).toEqual(['1', '2', '3', '']);
    expect(count).toBe(3);
    expect(itemCount).toBe(4);
    expect(json).not.toContain('"id":2');
  });

  it('together with the SDK makes of any page what the plain path makes of it', () => {
    fc.assert(
      fc.property(anyPage, anyCuts, ({ page, items }, cuts) => {
        const { json, count, rest } = transcode(page, { cut: chunksAt(cuts) });

        const { Items: left = [], ...others } = JSON.parse(rest);
        const all = json + left.map((item: OrderItem) => `,${orderToJson(item)}`).join('');
        expectSame(parseExactly(`[${all.slice(1)}]`), plainOrders(items));
        expectSame(
          fieldNamesOf(all),
          items.map((item) => publishedNamesOf(item)),
        );
        expect(count + left.length).toBe(items.length);
        const { Items: _, ...expected } = JSON.parse(page);
        expectSame(others, expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('PageTranscoder of other fields', () => {
  it('understands every page of flat orders to its end, wherever it is cut, whatever the fields', () => {
    const anyPageOfAnyFields = anyFields.chain((fields) =>
      fc.tuple(fc.constant(fields), fc.array(flatItemOf(fields)), anyCuts),
    );
    fc.assert(
      fc.property(anyPageOfAnyFields, ([fields, items, cuts]) => {
        const { json, count, rest } = transcode(scanAnswer(items), {
          cut: chunksAt(cuts),
          layout: createOrderLayout(fields),
        });

        expectSame(parseExactly(`[${json.slice(1)}]`), plainOrders(items, fields));
        expectSame(
          fieldNamesOf(json),
          items.map((item) => publishedNamesOf(item, fields)),
        );
        expect(count).toBe(items.length);
        expectSame(JSON.parse(rest).Items, []);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['größe: the list takes names of ASCII letters', { größe: { type: 'string' } }],
    ['ship date: the list takes names of ASCII letters', { 'ship date': { type: 'string' } }],
    ['a"b: the list takes names of ASCII letters', { 'a"b': { type: 'string' } }],
    ['2nd: the list takes names of ASCII letters', { '2nd': { type: 'string' } }],
  ])('refuses what it cannot do when it is loaded: %s', (message, fields) => {
    expect(() => createOrderLayout({ ...orderFields, ...fields } as never)).toThrow(message);
  });
});

type Cut = (body: Buffer) => Buffer[];

interface TranscodeOptions {
  cut?: Cut;
  keep?: KeepOrder;
  layout?: OrderLayout;
}

function transcode(page: string, { cut = (body) => [body], keep, layout }: TranscodeOptions = {}) {
  const transcoder = new PageTranscoder(pool, keep, layout);
  for (const chunk of cut(Buffer.from(page))) {
    const memory = Buffer.from(chunk);
    transcoder.push(memory);
    memory.fill('}');
  }
  const rest = transcoder.finish().toString();
  const json = Buffer.concat(transcoder.buffers).toString();
  // The buffers are reused for the next page, as they are after sending.
  for (const buffer of transcoder.buffers) pool.release(buffer.fill('#'));
  const { count, itemCount } = transcoder;
  return { json, count, itemCount, rest };
}

function chunksOf(bytes: number): Cut {
  return (body) => {
    const chunks = [];
    for (let start = 0; start < body.length; start += bytes) {
      chunks.push(body.subarray(start, start + bytes));
    }
    return chunks;
  };
}

/** @param cuts the positions at which to cut, as fractions of the length */
function chunksAt(cuts: number[]): Cut {
  return (body) => {
    const ends = [...cuts, 1].map((cut) => Math.round(cut * body.length)).sort((a, b) => a - b);
    return ends.map((end, index) => body.subarray(index === 0 ? 0 : ends[index - 1], end));
  };
}

/** Expects what `toEqual` expects, in a small part of the time where the two are the same. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

type Fields = Readonly<Record<string, OrderField>>;

function plainOrders(items: OrderItem[], fields: Fields = orderFields): unknown {
  return parseExactly(`[${items.map((item) => orderToJson(item, fields)).join(',')}]`);
}

/** The names of each order's fields in the order of the text. */
function fieldNamesOf(json: string): string[][] {
  return JSON.parse(`[${json.slice(1)}]`).map(Object.keys);
}

/** The fields that an order has: an attribute that is not of its field's type is left out. */
function publishedNamesOf(item: OrderItem, fields: Fields = orderFields): string[] {
  return Object.keys(fields).filter((name) => {
    const value = Object.entries(item[name] ?? {}).find(
      ([type]) => type === attributeTypes[fields[name]!.type],
    )?.[1];
    return fields[name]!.type === 'integer' ? /^-?\d+$/.test(value ?? '') : value !== undefined;
  });
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const anyString = fc.oneof(
  anyText(),
  // A JavaScript string can contain half of a surrogate pair, which JSON has to escape.
  fc.string({
    unit: fc.constantFrom('"', '\\', '\ud800', '\udc00', '🐕', '\u0000', '\n', '}', ']', ','),
  }),
  fc.constant('"Items":[{"id":{"N":"1"}}]'),
);

const flatValue = fc.oneof(
  int64.map((N) => ({ N })),
  anyString.map((S) => ({ S })),
  fc.boolean().map((BOOL) => ({ BOOL })),
);
const oddValue = fc.oneof(
  fc.constantFrom<object>({ NULL: true }, { N: '1E+2' }, { N: '-1.5' }, { L: [] }, { M: {} }),
  fc.array(int64).map((NS) => ({ NS })),
  fc.array(flatValue).map((L) => ({ L })),
  fc.dictionary(fc.string(), flatValue).map((M) => ({ M })),
);
const otherName = fc.oneof(
  fc.constantFrom('status', 'i', 'ids', 'petid', 'complete2', 'shipdate', '', '"', 'cancelledAt'),
  anyText(),
);

const valuesOfType = {
  integer: int64.map((N) => ({ N })),
  string: anyString.map((S) => ({ S })),
  boolean: fc.boolean().map((BOOL) => ({ BOOL })),
};

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function flatItemOf(fields: Record<string, OrderField>): fc.Arbitrary<OrderItem> {
  const values = mapValues(fields, ({ type }) => valuesOfType[type] as fc.Arbitrary<unknown>);
  const item = fc.record(values, { requiredKeys: [] }) as unknown as fc.Arbitrary<OrderItem>;
  return reordered(item.filter((attributes) => Object.keys(attributes).length > 0));
}

/** Names of all lengths from few letters, so that many begin alike. */
const anyName = fc
  .string({ unit: fc.constantFrom('a', 'b', 'i', 'd', 'A', '_', '1'), minLength: 1, maxLength: 40 })
  .filter((name) => !/^1/.test(name));
const anyOtherFields: fc.Arbitrary<Record<string, OrderField>> = fc
  .dictionary(
    anyName,
    fc.constantFrom(...(Object.keys(attributeTypes) as OrderField['type'][])).map((type) => ({
      type,
    })),
    { maxKeys: 40 },
  )
  .map((fields) => ({ ...fields, id: { type: 'integer' } }));
const anyFields = fc.oneof(fc.constant<Record<string, OrderField>>(orderFields), anyOtherFields);

const flatItem = flatItemOf(orderFields);

const oddItem: fc.Arbitrary<OrderItem> = reordered(
  fc
    .tuple(
      flatItem,
      fc.dictionary(
        fc.oneof(fc.constantFrom('petId', 'shipDate', 'complete'), otherName),
        fc.oneof(oddValue, flatValue),
      ),
    )
    .map(([flat, odd]) => ({ ...flat, ...odd }) as OrderItem),
);

const anyPage = fc
  .record({
    items: fc.array(
      fc.oneof({ weight: 9, arbitrary: flatItem }, { weight: 1, arbitrary: oddItem }),
    ),
    lastId: fc.option(int64),
    space: fc.constantFrom('', '', '', '', ' '),
    isEscaped: fc.boolean(),
    order: fc.shuffledSubarray(['Count', 'Items', 'LastEvaluatedKey', 'ScannedCount'], {
      minLength: 4,
    }),
  })
  .map(({ items, lastId, space, isEscaped, order }) => {
    const members: Record<string, unknown> = {
      Count: items.length,
      Items: items,
      LastEvaluatedKey: lastId === null ? undefined : { id: { N: lastId } },
      ScannedCount: items.length,
    };
    const page = JSON.stringify(
      Object.fromEntries(order.map((name) => [name, members[name]])),
      null,
      space,
    );
    return { items, page: isEscaped ? escaped(page) : page };
  });

const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

/** DynamoDB may send an item's attributes in any order. */
function reordered(item: fc.Arbitrary<OrderItem>): fc.Arbitrary<OrderItem> {
  return item.chain((attributes) =>
    fc
      .shuffledSubarray(Object.entries(attributes), {
        minLength: Object.keys(attributes).length,
      })
      .map((entries) => Object.fromEntries(entries) as Record<string, AttributeValue>),
  );
}

/** The same JSON with every non-ASCII character escaped, which DynamoDB may do. */
function escaped(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
