import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { fileFields } from '../../../admin/orders/order-record.ts';
import {
  detectFormat,
  type OrderLine,
  type OrdersFormat,
  readOrders,
} from '../../../admin/orders/orders-file.ts';
import type { TextPosition } from '../../../shared/json-array.ts';
import { temporaryDirectoryOfFile } from '../../helpers/temporary-directory.ts';

const directory = temporaryDirectoryOfFile();

async function read(text: string, format: OrdersFormat, from?: TextPosition): Promise<OrderLine[]> {
  const lines: OrderLine[] = [];
  for await (const line of readOrders(directory.write('orders', text), format, from)) {
    lines.push(line);
  }
  return lines;
}

const ordersOf = (lines: OrderLine[]) => lines.map((line) => ('order' in line ? line.order : null));
const errorsOf = (lines: OrderLine[]) =>
  lines.flatMap((line) => ('error' in line ? [line.error.message] : []));

const twoOrders = [
  {
    id: NumberValue.from('9007199254740993'),
    petId: NumberValue.from('7'),
    quantity: NumberValue.from('2'),
    shipDate: '2026-11-20T09:30:00Z',
    complete: false,
    status: 'pending',
  },
  { id: NumberValue.from('-9223372036854775808'), complete: true, status: 'shipped' },
];

const first =
  '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}';
const second = '{"id":-9223372036854775808,"complete":true,"status":"shipped"}';
const csvHeader = 'id,petId,quantity,shipDate,complete,status';
const csvFirst = '9007199254740993,7,2,2026-11-20T09:30:00Z,false,pending';
const csvSecond = '-9223372036854775808,,,,true,shipped';

describe('readOrders', () => {
  it.each([
    ['a JSON array', 'json', `[${first},${second}]`],
    ['an indented JSON array', 'json', `[\r\n  ${first},\r\n  ${second}\r\n]\r\n`],
    ['JSON Lines', 'jsonl', `${first}\n${second}\n`],
    [
      'JSON Lines with CRLF, blank lines and a byte order mark',
      'jsonl',
      `\ufeff${first}\r\n\r\n${second}`,
    ],
    ['CSV', 'csv', `${csvHeader}\n${csvFirst}\n${csvSecond}\n`],
    [
      'CSV with CRLF, quotes and a byte order mark',
      'csv',
      `\ufeff"id",petId,quantity,shipDate,complete,status\r\n"9007199254740993",7, 2,"2026-11-20T09:30:00Z",FALSE,\r\n${csvSecond}\r\n`,
    ],
    [
      'CSV with its columns in another order',
      'csv',
      'status,id,complete,shipDate,quantity,petId\npending,9007199254740993,false,2026-11-20T09:30:00Z,2,7\nshipped,-9223372036854775808,true,,,',
    ],
  ] as const)('reads %s, integers digit for digit', async (_, format, text) => {
    expect(ordersOf(await read(text, format))).toEqual(twoOrders);
  });

  it.each([
    ['json', ` [ ${first},\n ${second} ,\n {"id":3} ] `],
    ['jsonl', `${first}\n${second}\n{"id":3}\n`],
    ['csv', `${csvHeader}\n${csvFirst}\n${csvSecond}\n3,,,,,\n`],
  ] as const)('reads %s on from behind any order', async (format, text) => {
    const whole = await read(text, format);

    for (const [index, { end }] of whole.entries()) {
      expect(await read(text, format, end)).toEqual(whole.slice(index + 1));
    }
    expect(whole).toHaveLength(3);
  });

  it.each([
    ['json', '[]'],
    ['jsonl', ''],
    ['jsonl', '\n\n'],
    ['csv', `${csvHeader}\n`],
    ['csv', ''],
  ] as const)('finds no order in an empty %s file', async (format, text) => {
    expect(await read(text, format)).toEqual([]);
  });

  it('names line, field, value and what was expected, and reads on behind a bad line', async () => {
    const lines = await read(
      `{"id":1}\n{"id":"2"}\nnonsense\n[3]\n4\n{"id":5,"id2":5}\n{"id":6}`,
      'jsonl',
    );

    expect(errorsOf(lines)).toEqual([
      'line 2: id: "2" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807',
      expect.stringMatching(/^line 3: is not JSON: /),
      'line 4: is JSON, but no object; expected {"id":…,"petId":…}',
      'line 5: is JSON, but no object; expected {"id":…,"petId":…}',
      `line 6: "id2": an order has no such field; expected only ${fileFields.join(', ')}`,
    ]);
    expect(ordersOf(lines).filter(Boolean)).toHaveLength(2);
  });

  it.each([
    ['{"id":1,"quantity":2,"id":3}', '"id"'],
    ['{"id":1, "status" : "pending","stat\\u0075s":"shipped"}', '"status"'],
    ['{"__proto__":1,"id":1,"__proto__":2}', '"__proto__"'],
  ])('refuses a field that stands twice, whose values differ: %s', async (text, name) => {
    expect(errorsOf(await read(text, 'jsonl'))).toEqual([
      `line 1: ${name}: the order has this field twice`,
    ]);
  });

  it('takes no value for a name, whatever it contains', async () => {
    const value = '\\":\\\\\\":{\\"id\\":';

    const [line] = await read(`{"id":1,"status":"${value}"}`, 'jsonl');

    expect(line).toMatchObject({
      error: { fault: expect.stringMatching(/^status: .* is not accepted/) },
    });
  });

  it('says the same of a bad element of an array, with the line that it starts on', async () => {
    const lines = await read('[\n{"id":1},\n{"id":2,\n"complete":"yes"}, 5,\n{"id":3}]', 'json');

    expect(errorsOf(lines)).toEqual([
      'line 3: complete: "yes" is not accepted; expected true or false',
      'line 4: is JSON, but no object; expected {"id":…,"petId":…}',
    ]);
  });

  it('says the same of a bad line of CSV, and a stray quote harms its own line only', async () => {
    const lines = await read(
      `${csvHeader}\n1,2\nx,,,,,\n3,,,"unclosed,,\n4,,,,maybe,\n007,,,,,\n5,,,,,\n`,
      'csv',
    );

    expect(errorsOf(lines)).toEqual([
      'line 2: has 2 values; expected 6, as the header',
      expect.stringMatching(/^line 3: id: x is not accepted; expected an integer/),
      expect.stringMatching(/^line 4: is not CSV: (?!.*line 1\b)/),
      'line 5: complete: "maybe" is not accepted; expected true or false',
      expect.stringMatching(/^line 6: id: 007 is not accepted/),
    ]);
    expect(ordersOf(lines).filter(Boolean)).toEqual([
      { id: NumberValue.from('5'), status: 'pending' },
    ]);
  });

  it.each([
    [
      'id,customer\n',
      'header: an order has no field "customer"; expected a header row of id,petId',
    ],
    ['petId\n', 'header: no id column'],
    ['id,petId,id\n', 'header: two columns are called id'],
  ])('refuses the CSV header %p', async (text, message) => {
    await expect(read(text, 'csv')).rejects.toThrow(message);
  });

  it('keeps the message about a long column short', async () => {
    const error = await read(`id,${'x'.repeat(5_000)}\n`, 'csv').catch((thrown) => thrown);

    expect(error.message).toMatch(/^header: an order has no field "x+…; expected a header row of/);
    expect(error.message.length).toBeLessThan(200);
  });

  it('keeps the message about a long line short', async () => {
    const [error] = errorsOf(await read(`{"id":1,"shipDate":"${'x'.repeat(5_000)}"}`, 'jsonl'));

    expect(error!.length).toBeLessThan(200);
    expect(error).not.toContain('\n');
  });
});

describe('detectFormat', () => {
  it.each([
    ['orders.json', `[${first}]`, 'json'],
    ['orders.json', `${first}\n`, 'jsonl'],
    ['orders.txt', ` \n[`, 'json'],
    ['orders', '\ufeff{"id":1}', 'jsonl'],
    ['orders.jsonl', 'nonsense', 'jsonl'],
    ['orders.CSV', 'id\n1\n', 'csv'],
    ['orders.txt', 'petId,"id"\n', 'csv'],
    ['orders', '', 'jsonl'],
  ])('takes %s with %p as %s', async (name, text, format) => {
    expect(await detectFormat(directory.write(name, text))).toBe(format);
  });

  it('asks when neither the name nor the content tells', async () => {
    const path = directory.write('orders.txt', 'Dear Sir or Madam,\n');

    await expect(detectFormat(path)).rejects.toThrow('say which with --format');
  });
});
