import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfFile } from '../../../../test/helpers/temporary-directory.ts';
import { orderOfLine } from '../../orders/order-json.ts';
import { readOrders } from '../../orders/orders-file.ts';

const directory = temporaryDirectoryOfFile();

/** The orders of a file, what is told about its bad lines, and the error. */
async function read(content: string | Buffer) {
  const told: string[] = [];
  const path = directory.write('orders.jsonl', content);
  const { signal } = new AbortController();
  const tell = (text: string) => void told.push(text);
  const reading = readOrders({ path, signal, tell }, orderOfLine);
  const { orders, error } = await reading.then(
    (file) => ({ orders: [...file.lines()], error: '' }),
    ({ message }: Error) => ({ orders: [], error: message.replace(path, 'orders.jsonl') }),
  );
  return { orders, told, error };
}

describe('an orders file', () => {
  it('may have CRLF, blank lines and a byte order mark, and end without a line break', async () => {
    expect(await read('\ufeff{"id":1}\r\n\r\n \t\n{"id":2}')).toEqual({
      orders: [
        { line: 1, order: { id: { N: '1' } } },
        { line: 4, order: { id: { N: '2' } } },
      ],
      told: [],
      error: '',
    });
  });

  it.each(['', '\n \r\n'])('needs an order: %j', async (content) => {
    expect((await read(content)).error).toMatch(/^orders\.jsonl: no orders; nothing was written/);
  });

  it.each<[string | Buffer, string | RegExp]>([
    ['nonsense', /^is not JSON: .*; expected an order such as {"id":1001,"petId":7,"note":{"S":"t/],
    ['[{"id":1}]', /^is JSON, but not an order; expected an order such as/],
    ['7', /^is JSON, but not an order; /],
    ['{"petId":1}', /^id: missing; expected an integer from -9223372036854775808 to/],
    [
      '{"id":1,"ship_date":1}',
      /^"ship_date": an order has no such field, and 1 is not accepted; ex/,
    ],
    [
      '{"id":1,"note":"text"}',
      /.* "text" is not accepted; expected DynamoDB's own JSON, such as {/,
    ],
    ['{"id":"7"}', /^id: "7" is not accepted; expected an integer/],
    ['{"id":{"S":"7"}}', /^id: {"S":"7"} is not accepted; /],
    ['{"id":null}', /^id: null is not accepted/],
    ['{"id":9223372036854775808}', /^id: 9223372036854775808 is not accepted/],
    ['{"id":1,"petId":1.0}', /^petId: 1\.0 is not accepted/],
    ['{"id":1,"quantity":true}', /^quantity: true is not accepted/],
    ['{"id":1,"complete":"yes"}', 'complete: "yes" is not accepted; expected true or false'],
    ['{"id":1,"status":"Pending"}', /^status: "Pending" is not accepted; expected "pending"/],
    ['{"id":1,"shipDate":["2026-11-20T09:30:00Z"]}', /^shipDate: a collection is not accepted/],
    ['{"id":1,"shipDate":"2026-11-20"}', /^shipDate: "2026-11-20" is not accepted; expected an IS/],
    [`{"id":1,"shipDate":"${'x'.repeat(99)}"}`, /^shipDate: "x{59}… is not accepted/],
    ['{"id":1,"cancelledBy":"\\ud800"}', /^cancelledBy: "\\ud800" is not accepted; expected a tex/],
    ['{"id":"x","petId":"y"}', /^id: "x" is not accepted; .*; and petId: "y" is not accepted/],
    ['{"id":1,"x":{"S":"y","N":"1"}}', /^"x": {"S":"y","N":"1"} is not accepted; expected Dyna/],
    ['{"id":1,"x":{"toString":"1"}}', /^"x": /],
    ['{"id":1,"x":{"N":"1e126"}}', /^"x": /],
    ['{"id":1,"x":{"N":"123456789012345678901234567890123456789"}}', /^"x": /],
    ['{"id":1,"x":{"N":""}}', /^"x": /],
    ['{"id":1,"x":{"S":"\\ud800"}}', /^"x": /],
    ['{"id":1,"x":{"B":"&"}}', /^"x": /],
    ['{"id":1,"x":{"SS":["y",5]}}', /^"x": /],
    ['{"id":1,"x":{"NULL":false}}', /^"x": /],
    ['{"id":1,"x":{"M":{"y":{"S":5}}}}', /^"x": /],
    ['{"id":1,"x":{"L":["y"]}}', /^"x": /],
    [Buffer.from('{"id":1,"cancelledBy":"J\xfcrgen"}', 'latin1'), 'is not UTF-8 text'],
    ['{"id":-1}', 'the id is already on line 1'],
    ['{"id":{"N":"-1.0"}}', 'the id is already on line 1'],
  ])('has a bad line, so no order is read: %s', async (line, fault) => {
    const content = Buffer.concat([
      Buffer.from('{"id":-1}\n'),
      Buffer.from(line),
      Buffer.from('\n{"id":3}'),
    ]);

    const { told, error } = await read(content);

    expect(told).toEqual([expect.stringMatching(/^line 2: /)]);
    expect(told[0]!.slice('line 2: '.length)).toMatch(fault);
    expect(error).toMatch(/^orders\.jsonl: 1 bad line and 2 good lines; nothing was written: corr/);
  });

  it('is shown by its first twenty bad lines and their number', async () => {
    const lines = Array.from({ length: 80_000 }, (_, index) =>
      index % 2 ? `{"id":${index}}` : ',',
    );

    const { told, error } = await read(lines.join('\n'));

    expect(told).toHaveLength(20);
    expect(told[19]).toMatch(/^line 39: /);
    expect(error).toContain('40,000 bad lines (the first 20 are shown) and 40,000 good lines; n');
  });
});
