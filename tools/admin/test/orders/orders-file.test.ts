import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { temporaryDirectoryOfFile } from '../../../../test/helpers/temporary-directory.ts';
import { csvHeader, orderCsv } from '../../orders/order-csv.ts';
import type { OrderItem } from '../../orders/order-record.ts';
import { type OrdersFormat, openOrders, readOrders } from '../../orders/orders-file.ts';

const directory = temporaryDirectoryOfFile();

/** The orders of a file, and the messages about its bad lines. */
async function read(content: string | Buffer, format: OrdersFormat = 'jsonl') {
  const orders: OrderItem[] = [];
  const errors: string[] = [];
  const path = directory.write('orders.jsonl', content);
  const onBadLine = (text: string) => void errors.push(text);
  const lines = { path, format, signal: new AbortController().signal, onBadLine };
  await using file = await openOrders(lines);
  for await (const { order } of readOrders(file, lines)) orders.push(order);
  return { orders, errors };
}

const id = (digits: string) => ({ N: digits });

describe('an orders file', () => {
  it('may have CRLF, blank lines and a byte order mark, and end without a line break', async () => {
    expect(await read('\ufeff{"id":1}\r\n\r\n \t\n{"id":2}')).toMatchObject({
      orders: [{ id: id('1') }, { id: id('2') }],
      errors: [],
    });
    expect(await read('')).toEqual({ orders: [], errors: [] });
  });

  it('is read across the borders of chunks', async () => {
    const ids = Array.from({ length: 9_000 }, (_, index) => index + 1);

    const { orders } = await read(ids.map((each) => `{"id":${each},"petId":7777777}`).join('\n'));

    expect(orders.map((order) => Number(order.id.N))).toEqual(ids);
  });

  it.each<[string, string | RegExp]>([
    ['nonsense', /^is not JSON: .*; expected an order, {"id":…,"petId":…}, or CSV in a file/],
    ['[{"id":1}]', /^is JSON, but not an object; /],
    ['id,petId', /^is not JSON: /],
    ['{"petId":1}', /^id: missing; expected an integer from -9223372036854775808 to/],
    ['{"id":1,"ship_date":1}', /^"ship_date": an order has no such field; expected only id, petId/],
    ['{"__proto__":{"id":1}}', /^"__proto__": an order has no such field/],
    ['{"id":2,"quantity":1,"quantity":2}', '"quantity": the order has this field twice'],
    ['{"id":2,"cancelledBy":"\\"id\\":","\\u0069d":3}', '"id": the order has this field twice'],
    ['{"id":"7"}', /^id: "7" is not accepted; expected an integer/],
    ['{"id":null}', /^id: null is not accepted/],
    ['{"id":9223372036854775808}', /^id: 9223372036854775808 is not accepted/],
    ['{"id":1,"petId":1.0}', /^petId: 1\.0 is not accepted/],
    ['{"id":1,"quantity":true}', /^quantity: true is not accepted/],
    ['{"id":1,"complete":"yes"}', 'complete: "yes" is not accepted; expected true or false'],
    [
      '{"id":1,"status":"never-used"}',
      /^status: "never-used" is not accepted; expected "pending", "shipped"/,
    ],
    ['{"id":1,"shipDate":["2026-11-20T09:30:00Z"]}', /^shipDate: a collection is not accepted/],
    [
      '{"id":1,"shipDate":"2026-11-20"}',
      /^shipDate: "2026-11-20" is not accepted; expected an ISO/,
    ],
    [`{"id":1,"shipDate":"${'x'.repeat(99)}"}`, /^shipDate: "x{59}… is not accepted/],
    ['{"id":1,"cancelledAt":5}', /^cancelledAt: 5 is not accepted; expected an ISO 8601 date-time/],
    ['{"id":1,"cancelledBy":5}', /^cancelledBy: 5 is not accepted; expected a text/],
    [
      '{"id":1,"cancelledBy":"\\ud800"}',
      /^cancelledBy: "\\ud800" is not accepted; expected a text/,
    ],
  ])('has a bad line, which is reported and skipped: %s', async (text, fault) => {
    const { orders, errors } = await read(`{"id":1}\n${text}\n{"id":3}\n`);

    expect(errors).toEqual([expect.stringMatching(/^line 2: /)]);
    expect(errors[0]!.slice('line 2: '.length)).toMatch(fault);
    expect(orders).toHaveLength(2);
  });

  it('has two lines with the same id, of which the second is bad and names the first', async () => {
    const [one, next] = ['9007199254740992', '9007199254740993'];
    const lines = [one, next, '-1', one, '-1', one].map((each) => `{"id":${each}}`);

    const { orders, errors } = await read(lines.join('\n'));

    expect(orders).toHaveLength(3);
    expect(errors).toEqual([
      `line 4: id: ${one} is already on line 1`,
      'line 5: id: -1 is already on line 3',
      `line 6: id: ${one} is already on line 1`,
    ]);
  });

  it('has a damaged or very long line, which affects no other line', async () => {
    const endless = `{"id":1,"shipDate":"${'x'.repeat(9_000_000)}"}\n`;
    const content = Buffer.concat([Buffer.from(endless), Buffer.from([0x7b, 0xff, 0x0a])]);

    const { orders, errors } = await read(Buffer.concat([content, Buffer.from('{"id":3}')]));

    expect(errors).toEqual([
      'line 1: is longer than 8388608 bytes, more than any order needs; a line break or a quotation mark may be missing',
      'line 2: is not UTF-8: it is damaged or has another encoding',
    ]);
    expect(orders).toHaveLength(1);
  });
});

describe('an orders file of CSV', () => {
  it('has the columns of its first line, and empty cells for absent fields', async () => {
    const { orders, errors } = await read(
      '\ufeffpetId, id ,complete,shipDate\r\n7,9223372036854775807,TRUE,\r\n\r\n,-5,false,"2026-11-20T09:30:00Z"',
      'csv',
    );

    expect(errors).toEqual([]);
    expect(orders).toEqual([
      { id: id('9223372036854775807'), petId: id('7'), complete: { BOOL: true } },
      { id: id('-5'), complete: { BOOL: false }, shipDate: { S: '2026-11-20T09:30:00Z' } },
    ]);
  });

  it.each([';', '\t'])('can have the separator %j', async (separator) => {
    const content = `"id",petId,cancelledBy\r\n-5,'-7,"a,b"\r\n`.replaceAll(/,(?!b)/g, separator);

    expect(await read(content, 'csv')).toEqual({
      orders: [{ id: id('-5'), petId: id('-7'), cancelledBy: { S: 'a,b' } }],
      errors: [],
    });
  });

  it('can have line breaks in cells, and names the first line of a bad record', async () => {
    const { orders, errors } = await read(
      'id,cancelledBy\n1,"a\r\n\nb"\nx,"c\nd"\n2,e\n3,"f\n4,g\n',
      'csv',
    );

    expect(orders).toEqual([
      { id: id('1'), cancelledBy: { S: 'a\r\n\nb' } },
      { id: id('2'), cancelledBy: { S: 'e' } },
    ]);
    expect(errors).toEqual([
      expect.stringMatching(/^line 5: id: "x" is not accepted/),
      'line 8: is not CSV: a quotation mark is missing, or is inside a cell',
    ]);
  });

  it('has a missing quotation mark, which affects a limited number of lines', async () => {
    const rest = Array.from({ length: 20_000 }, (_, index) => `${index + 2},7\n`).join('');

    const { orders, errors } = await read(`id,petId\n1,"7\n${rest}`, 'csv');

    expect(errors).toEqual([
      'line 2: is not CSV: a quotation mark is missing, or is inside a cell',
    ]);
    expect(orders.length).toBeGreaterThan(10_000);
  });

  it('contains every exported order, whatever its texts are', async () => {
    const texts = fc
      .string({
        unit: fc.constantFrom(...'=+-@＝\t\r\n;,"\'a \\é😀#'),
        minLength: 1,
      })
      .map((S) => ({ S }));
    const int64 = fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value) => ({ N: String(value) }));
    const whole = fc.record(
      {
        id: int64,
        petId: int64,
        complete: fc.boolean().map((BOOL) => ({ BOOL })),
        cancelledBy: texts,
        reopenedBy: texts,
      },
      { requiredKeys: ['id'] },
    );
    await fc.assert(
      fc.asyncProperty(whole, async (order) => {
        const file = `${csvHeader}\n${orderCsv(order)}\n`;

        expect(await read(file, 'csv')).toEqual({
          orders: [{ ...order, status: undefined }],
          errors: [],
        });
      }),
    );
  });

  it.each([
    ['two,7', 'id: "two" is not accepted; expected an integer'],
    ['007,7', 'id: "007" is not accepted; expected an integer'],
    [',7', 'id: missing; expected an integer'],
    ['2', 'has 1 cell, but the first line has 2'],
    ['2,7,', 'has 3 cells, but the first line has 2'],
    ['2,7"7"', 'is not CSV: a quotation mark is missing, or is inside a cell'],
    ['{"id":2},', 'is not CSV: a quotation mark is missing, or is inside a cell'],
    ['1,8', 'id: 1 is already on line 2'],
  ])('has a bad line, which is reported and skipped: %s', async (text, fault) => {
    const { orders, errors } = await read(`id,petId\n1,7\n${text}\n3,7\n`, 'csv');

    expect(errors).toEqual([expect.stringContaining(`line 3: ${fault}`)]);
    expect(orders).toHaveLength(2);
  });
});
