import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { directory, file, orders, put, stored, useNewTable } = await ordersOfEachTest();

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
};
/** The SDK that reads what is stored loses this one, so it is looked for in what the commands print. */
const proto: Record<string, AttributeValue> = {
  ['__proto__']: { L: [{ B: bytes(9) }, { M: { ['__proto__']: { S: '"__proto__":' } } }] },
  'x"__proto__': { S: 'y' },
};
const protoJson = '"__proto__":{"L":[{"B":"CQ=="},{"M":{"__proto__":{"S":"\\"__proto__\\":"}}}]}';
const everyTypeOrder = {
  id: { N: '1' },
  status: { S: 'pending' },
  petId: { N: '7' },
  ...everyType,
  ...proto,
};

/** Items whose own fields have values that the API cannot show, or no state. */
const odd: Record<string, AttributeValue>[] = [
  { id: { N: '2' } },
  { id: { N: '1.5' }, status: { S: 'pending' } },
  { id: { N: '-4' }, status: { S: 'Pending' }, quantity: { S: '2' }, complete: { S: 'true' } },
  { id: { N: '5' }, status: { NULL: true }, petId: { SS: ['x'] }, shipDate: { S: 'soon' } },
  { id: { N: '6' }, status: { S: '' }, cancelledAt: { N: '5' }, cancelledBy: { S: '' } },
];
const many = Object.fromEntries(
  [...Array(400)].map((_, index) => [`attribute${index}`, { N: `${index}` }]),
);

/** Names that are longer than a statement of PartiQL can be. */
const long = { ['x'.repeat(9_000)]: { S: 'x' }, ["'".repeat(4_500)]: { S: 'y' } };

/** What is stored, sorted by the ids. */
const sorted = async () =>
  (await stored()).sort((one, other) => (one.id!.N! < other.id!.N! ? -1 : 1));

describe('attributes of other programs', () => {
  it.each(['jsonl', 'csv'])(
    'come back from an export exactly after a deletion, as %s',
    async (format) => {
      const items = [
        everyTypeOrder,
        ...odd,
        { id: { N: '8' }, ...many },
        { id: { N: '9' }, ...long },
      ];
      for (const item of items) await put(item);
      const before = await sorted();
      const [out, keep] = [`out.${format}`, 'kept'].map((name) => join(directory.path, name));

      await orders(['export', '--out', out!]);
      const exported = readFileSync(out!, 'utf8');
      const deleted = await orders(['delete', out!, '--keep', keep!, '--yes']);

      expect(deleted.stdout).toBe('Deleted 8 orders; 0 different, 0 not found.\n');
      expect(await stored()).toEqual([]);
      for (const path of [out!, keep!]) {
        await useNewTable();
        expect(await orders(['import', path])).toMatchObject({ exitCode: 0 });
        expect(await sorted()).toEqual(before);
        expect((await orders(['export', '--format', format])).stdout).toBe(exported);
        expect((await orders(['import', path])).stdout).toContain('8 already existed');
      }
    },
  );

  it('are kept and printed by every command that changes an order', async () => {
    await put(everyTypeOrder);
    const update = file('{"id":1,"petId":8}');

    for (const words of ['show 1', 'cancel 1', 'reopen 1', `import --update ${update}`, 'ship 1']) {
      const { exitCode, stdout } = await orders(words.split(' '));

      expect([words, exitCode]).toEqual([words, 0]);
      if (/show|cancel|ship/.test(words)) expect(stdout).toContain(protoJson);
      expect(await stored()).toMatchObject([everyType]);
    }
  });

  it('are compared by an import, as DynamoDB compares them, and left as they are', async () => {
    await put({
      id: { N: '1' },
      status: { S: 'pending' },
      set: { NS: ['1', '2'] },
      map: { M: {} },
    });
    const line = (attributes: string) => file(`{"id":1,"attributes":${attributes}}`);

    const same = await orders(['import', line('{"map":{"M":{}},"set":{"NS":["2.0","1"]}}')]);
    const other = await orders([
      'import',
      '--update',
      line('{"set":{"NS":["3"]},"new":{"S":"x"}}'),
    ]);

    expect(same.stdout).toContain('1 already existed');
    expect(other).toMatchObject({ exitCode: 4 });
    expect(other.stderr).toContain(
      'order 1 has set a collection, the line says a collection; has no new, the line says "x"',
    );
    expect(await stored()).toEqual([expect.not.objectContaining({ new: expect.anything() })]);
  });

  it.each([
    ['{"Item":{"id":{"N":"1"},"petId":{"N":"7"},"note":{"S":"x"}}}', 'with Item around it'],
    ['{"id":{"N":"1"},"petId":{"N":"7"},"note":{"S":"x"}}', 'without Item'],
  ])("are read from DynamoDB's own JSON: %s", async (line) => {
    await orders(['import', file(`${line}\n`)]);

    const status = { S: 'pending' };
    expect(await stored()).toEqual([
      { id: { N: '1' }, petId: { N: '7' }, note: { S: 'x' }, status },
    ]);
  });

  it.each([
    ['{"id":{"S":"1"}}', 'id: missing; expected an integer'],
    ['{"id":1,"attributes":{"petId":{"S":"x"}},"petId":7}', '"petId": both a field and in "attr'],
    ['{"id":1,"attributes":{"x":"y"}}', 'attribute "x": "y" is not accepted; expected DynamoDB'],
    ['{"id":1,"attributes":{"x":{"S":"y","N":"1"}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"toString":"1"}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"N":"1e126"}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"N":"123456789012345678901234567890123456789"}}}', 'attribute'],
    ['{"id":1,"attributes":{"x":{"N":""}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"B":"&"}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"NS":["1","1.0"]}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"SS":[]}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"NULL":false}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"M":{"y":{"S":5}}}}}', 'attribute "x": '],
    ['{"id":1,"attributes":{"x":{"M":{"y":{"S":"1"},"y":{"S":"2"}}}}}', '"y": the order has this'],
    [`{"id":1,"attributes":{"x":{"L":${'[{"L":'.repeat(40)}[]${'}]'.repeat(40)}}}}`, 'attribute'],
    ['{"id":1,"attributes":5}', "attributes: expected DynamoDB's own JSON"],
    ['{"id":"x","petId":"y"}', 'id: "x" is not accepted; .*; and petId: "y" is not accepted'],
  ])('are refused, with all wrong fields of the line: %.70s', async (line, message) => {
    const { exitCode, stderr } = await orders(['import', file(line)]);

    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(`line 1: ${message}`)]);
    expect(await stored()).toEqual([]);
  });

  it('are those of an order without a status, which an import leaves so', async () => {
    await put({ id: { N: '1' } });

    const { stdout } = await orders(['export']);

    expect(stdout).toBe('{"id":1,"status":null}\n');
    expect(await orders(['import', file(stdout)])).toMatchObject({ exitCode: 0 });
  });
});

it.each<[string, Buffer, string]>([
  ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'is a gzip file; .* "gunzip"'],
  ['zip', Buffer.from('PK\x03\x04'), 'is a zip file or a spreadsheet; .* save it as CSV'],
  ['UTF-16', Buffer.from('\ufeff{"id":1}\n{"id":2}', 'utf16le'), 'is text in UTF-16; .*iconv'],
  ['UTF-16 without a mark', Buffer.from('{"id":1}', 'utf16le'), 'is text in UTF-16; .*iconv'],
  ['PNG', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), 'is a binary file, not text; .* as CSV'],
  ['bzip2', Buffer.from('BZh91AY&SY\xb0\x1b', 'latin1'), 'is a binary file, not text; '],
  ['a scan', Buffer.from('{\n    "Items": [\n'), "is the response of a scan; .*jq -c '.Items"],
  ['an array', Buffer.from('[{"id":1}]'), "is an array of JSON; .*jq -c '.\\[\\]'"],
  [
    'an item',
    Buffer.from('{\n  "Item": {\n'),
    'is JSON in which an order has several lines; .*jq -c',
  ],
])(
  'a file of another form is named in one line, with the command that converts it: %s',
  async (_, content, text) => {
    const { exitCode, stderr } = await orders(['import', file(content)]);

    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(`^error: \\S+: ${text}`)]);
    expect(stderr.trimEnd()).not.toContain('\n');
  },
);

it('an export that fails ends in the middle of a line, so that an import from a pipe refuses it', async () => {
  const large = { S: 'x'.repeat(300_000) };
  for (let id = 1; id <= 8; id++) await put({ id: { N: `${id}` }, large });
  for (const format of ['jsonl', 'csv']) {
    // The scan has several pages, and the export is interrupted after the first.
    let checks = 0;
    const interruption = Object.assign(new EventTarget(), {
      throwIfAborted: () => {
        if (++checks > 1) throw new Error('the second page');
      },
    });

    const exported = await orders(['export', '--format', format], {
      interruption: interruption as AbortSignal,
    });
    const { stderr } = await orders(['import', '-', '--format', format, '--dry-run'], {
      input: exported.stdout,
    });

    expect(exported.exitCode).toBe(1);
    expect(exported.stdout.split('\n').length).toBeGreaterThan(1);
    expect(stderr).toContain('1 bad line and');
  }
});
