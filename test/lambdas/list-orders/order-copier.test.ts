import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OrderFieldName } from '../../../lambdas/domain/order-fields.ts';
import { orderToJson } from '../../../lambdas/domain/order-json.ts';
import {
  copyOrders,
  type KeepOrder,
  slackBytes,
} from '../../../lambdas/list-orders/order-copier.ts';
import { anyText } from '../../helpers/any-text.ts';
import {
  type OrderItem,
  orderItem,
  orderItems,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';

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
    const nothing = { json: '', count: 0, itemCount: 0, unlistedIds: [] };

    expect(copy(page)).toEqual({ ...nothing, rest: page });
  });

  it('copies well-formed orders completely', () => {
    fc.assert(
      fc.property(fc.array(flatItem), (items) => {
        const { json, itemCount, rest } = copy(scanAnswer(items));

        expect(json).toBe(plainOrders(items));
        expect(itemCount).toBe(items.length);
        expect(JSON.parse(rest).Items).toEqual([]);
      }),
    );
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

  it('passes each id to `keep` once, and leaves out the orders that it rejects', () => {
    const seen: string[] = [];
    const keep: KeepOrder = (id) => {
      seen.push(id);
      return id !== '2';
    };

    const page = scanAnswer([...orderItems(3), orderItem('1.5')]);
    const { json, count, itemCount, unlistedIds } = copy(page, keep);

    expect(seen).toEqual(['1', '2', '3', '1.5']);
    expect([count, itemCount, unlistedIds]).toEqual([2, 4, ['1.5']]);
    expect(json).not.toContain('"id":2');
  });

  it('converts every page, together with the SDK, as orderToJson does', () => {
    fc.assert(
      fc.property(anyPage, ({ page, items }) => {
        const { json, itemCount, rest } = copy(page);

        const { Items: left = [], ...others } = JSON.parse(rest);
        expect(escaped(json + plainOrders(left))).toBe(escaped(plainOrders(items)));
        expect(itemCount + left.length).toBe(items.length);
        const { Items: _, ...expected } = JSON.parse(page);
        expect(others).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function copy(page: string, keep?: KeepOrder) {
  const memory = Buffer.from(page + '}'.repeat(slackBytes));
  const { orders, rest, ...others } = copyOrders(memory, keep);
  // The memory of the page is freed or used again.
  memory.fill('#');
  return { ...others, json: orders.toString(), rest: rest.toString() };
}

/** The orders as the SDK and `orderToJson` would write them. */
function plainOrders(items: OrderItem[]): string {
  const orders = items.map(orderToJson).filter((order) => order !== undefined);
  return orders.map((order) => `,${order}`).join('');
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const anyString = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
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

const flatItem = reordered(
  fc
    .record(
      {
        id: int64.map((N) => ({ N })),
        petId: int64.map((N) => ({ N })),
        quantity: int64.map((N) => ({ N })),
        shipDate: anyString.map((S) => ({ S })),
        complete: fc.boolean().map((BOOL) => ({ BOOL })),
      } satisfies Record<OrderFieldName, unknown>,
      { requiredKeys: [] },
    )
    .filter((attributes) => Object.keys(attributes).length > 0) as fc.Arbitrary<OrderItem>,
);

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
