import { once } from 'node:events';
import fs, { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { embeddedDynamoDbOfFile } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { type AdminOptions, admin } from '../run-admin.ts';
import { stackOfEachTest } from '../stack.ts';

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
const stack = stackOfEachTest();
let table: string;

beforeEach(async () => useTable(await database.createOrdersTable()));

function useTable(name: string): void {
  table = name;
  stack.outputs.OrdersTableName = name;
}

const orders = (words: string[], io?: AdminOptions) =>
  admin(['orders', ...words, '--local', database.endpoint], io);
const stored = () => database.readAll(table);
const file = (content: string, name = 'orders.jsonl') => directory.write(name, content);
const lines = (count: number, rest = '') =>
  Array.from({ length: count }, (_, id) => `{"id":${id}${rest}}\n`).join('');
const summary = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;

describe('orders import', () => {
  it('loads a file of any length, in many requests at once, each order once', async () => {
    const path = file(lines(1_003));

    const { exitCode, stdout } = await orders(['import', path, '--json']);

    expect(exitCode).toBe(0);
    expect(summary(stdout)).toEqual({
      file: path,
      inserted: 1_003,
      alreadyThere: 0,
      replaced: 0,
      different: 0,
      rejected: 0,
      seconds: expect.any(Number),
    });
    expect(await stored()).toHaveLength(1_003);
  });

  it('prints a summary, and no progress where there is no terminal', async () => {
    expect(await orders(['import', file(lines(30))])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Imported 30 orders in \d+\.\d s; 0 were there already; 0 bad lines left out\.\n$/,
      ),
      stderr: `stage staging at ${database.endpoint}\n`,
    });
  });

  it('draws a bar on a terminal', async () => {
    const { stderr } = await orders(['import', file(lines(100))], { isTerminal: true });

    expect(stderr).toMatch(/checking \[.* \d+% \|/);
    expect(stderr).toMatch(/loading \[.*\] 100% \| 100 orders \|/);
  });

  it('names the file and line of every bad line, and loads nothing', async () => {
    const path = file('{"id":1}\n{"id":"two"}\n{"id":3,"complete":0}\n');

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `${path}: line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807`,
      `${path}: line 3: complete: 0 is not accepted; expected true or false`,
      `error: ${path}: 2 bad lines beside 1 good one; nothing was loaded: correct them, or load the ` +
        'others with --on-error skip',
      '',
    ]);
    expect(await stored()).toEqual([]);
  });

  it('loads the others when asked to, and counts what was left out', async () => {
    const path = file(`nonsense\n${lines(60)}{"id":1.5}`);

    const { exitCode, stdout, stderr } = await orders([
      'import',
      path,
      '--on-error',
      'skip',
      '--json',
    ]);

    expect(exitCode).toBe(0);
    expect(summary(stdout)).toMatchObject({ inserted: 60, rejected: 2 });
    expect(stderr).toMatch(/line 1: is not JSON.*\n.*line 62: id: 1\.5 is not accepted/);
  });

  it.each([
    [() => 'no-such-file', /^error: file: "no-such-file" is not accepted; .* \(ENOENT/],
    [
      () => directory.path,
      /^error: file: .* is not accepted; expected a regular file of orders, or - for standard input\n$/,
    ],
  ])('refuses what is no file of orders', async (path, message) => {
    const { exitCode, stderr } = await orders(['import', path()]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(await stored()).toEqual([]);
  });

  it('changes no order that is there, whatever has become of it', async () => {
    const path = file(lines(60));
    await orders(['import', path]);
    await database.dynamodb.send(
      new UpdateItemCommand({
        TableName: table,
        Key: { id: { N: '7' } },
        UpdateExpression: 'SET #status = :cancelled',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':cancelled': { S: 'cancelled' } },
      }),
    );

    const { stdout } = await orders(['import', file(lines(70)), '--json']);

    expect(summary(stdout)).toMatchObject({ inserted: 10, alreadyThere: 60, different: 0 });
    expect((await stored()).find(({ id }) => id!.N === '7')!.status).toEqual({ S: 'cancelled' });
  });

  it('tells of the first twenty that are there with other values, and counts all', async () => {
    await orders(['import', file(lines(30, ',"petId":1'))]);
    const path = file(lines(31, ',"petId":2'));

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect(exitCode).toBe(4);
    expect(stdout).toContain('Imported 1 order in');
    expect(stdout).toContain('0 were there already; 30 with other values, left as they are; 0 bad');
    expect(stderr.match(/is in the table with/g)).toHaveLength(20);
    expect(stderr).toContain('further such lines are only counted');
    expect(stderr).toContain('line 20: order 19 is in the table with petId 1 instead of 2\n');
    expect(stderr).toMatch(/error: .*: 30 orders left as in the table; --replace changes/);
    expect((await stored()).filter(({ petId }) => petId!.N === '1')).toHaveLength(30);
  });

  it('compares the state of an order with a line that has one', async () => {
    await orders(['import', file('{"id":1,"status":"cancelled","cancelledBy":"key_1"}')]);

    const { exitCode, stderr } = await orders([
      'import',
      file('{"id":1,"status":"pending"}'),
      '--json',
    ]);

    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      'with status "cancelled" instead of "pending", cancelledBy "key_1" ins',
    );
    expect(JSON.parse(stderr.split('\n').at(-2)!).error).toMatchObject({ class: 'different' });
  });

  it('loads an order without a status as pending, or as shipped if it is complete', async () => {
    await orders(['import', file('{"id":1}\n{"id":2,"complete":true}\n{"id":3,"complete":false}')]);

    const statuses = (await stored()).map(({ id, status }) => `${id!.N} ${status!.S}`);
    expect(statuses.sort()).toEqual(['1 pending', '2 shipped', '3 pending']);
  });

  it('reads standard input, twice', async () => {
    const { exitCode, stdout } = await orders(['import', '-'], { input: lines(500) });
    const { stderr } = await orders(['import', '-'], { input: `${lines(500)}{"id":"x"}` });

    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('500'),
    });
    expect(stderr).toContain('1 bad line beside 500 good ones; nothing was loaded');
  });

  it.each([
    [1, []],
    [0, ['--on-error', 'skip']],
  ])('writes bad lines as they are to a file, and ends with %i', async (exitCode, rest) => {
    const path = file('{"id":1}\n{"id": "two"}\n{"id":1,"petId":2}\nnonsense');
    const rejects = directory.write('rejects.jsonl', 'of an earlier run');

    const result = await orders(['import', path, '--rejects', rejects, ...rest]);

    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain('line 3: id: 1 is on line 1 already');
    expect(readFileSync(rejects, 'utf8')).toBe('{"id": "two"}\n{"id":1,"petId":2}\nnonsense\n');
  });

  it('writes no bad lines over the file that it reads, nor to what is no file', async () => {
    const path = file('{"id":1}\nx');
    symlinkSync(path, join(directory.path, 'link'));

    for (const rejects of [path, join(directory.path, 'link'), directory.path]) {
      const { exitCode, stderr } = await orders(['import', path, '--rejects', rejects]);

      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('--rejects'),
      });
    }
    expect(readFileSync(path, 'utf8')).toBe('{"id":1}\nx');
  });

  describe('--replace', () => {
    const before =
      '{"id":1,"petId":7,"status":"pending"}\n{"id":2,"status":"cancelled","cancelledBy":"key_1"}\n' +
      '{"id":3,"status":"shipped","shippedAt":"2026-11-20T09:31:00Z"}\n{"id":4,"status":"pending"}\n';
    const wanted =
      '{"id":1,"quantity":2,"status":"pending"}\n{"id":2,"status":"pending"}\n' +
      '{"id":3,"status":"pending"}\n{"id":4,"status":"pending"}\n{"id":5,"status":"pending"}\n';
    const exported = async () =>
      `${(await orders(['export'])).stdout.trimEnd().split('\n').sort().join('\n')}\n`;

    it('R6: makes orders those of the file, but none that has shipped', async () => {
      await orders(['import', file(before)]);

      const { exitCode, stdout, stderr } = await orders([
        'import',
        '--replace',
        file(wanted),
        '--json',
      ]);

      expect(exitCode).toBe(4);
      expect(summary(stdout)).toMatchObject({
        inserted: 1,
        alreadyThere: 1,
        replaced: 2,
        different: 1,
      });
      expect(stderr).toContain('line 3: order 3 is in the table with status "shipped" instead of');
      expect(await exported()).toBe(wanted.replace(/.*"id":3.*/, before.split('\n')[2]!));
    });

    it('says what it would do in a dry run, and does nothing', async () => {
      await orders(['import', file(before)]);
      const words = ['import', '--replace', file(wanted), '--dry-run'];

      const { stdout, stderr } = await orders(words);

      expect(stdout).toMatch(
        /^Would have imported 1 order and changed 2 in .* 1 were there already; 1 /,
      );
      expect(stderr).toContain(
        'line 1: order 1 is in the table with petId 7 instead of null, quantity',
      );
      expect(stderr).toContain(
        'line 2: order 2 is in the table with status "cancelled" instead of',
      );
      expect(stderr).toContain('stays so');
      expect(await exported()).toBe(before);
    });

    it('takes no line for a whole order that has no status', async () => {
      const { exitCode, stderr } = await orders(['import', '--replace', file('{"id":1}')]);

      expect(exitCode).toBe(1);
      expect(stderr).toContain('line 1: status: missing; expected a whole order');
    });

    it('undoes what a key has cancelled since another table was copied', async () => {
      const restored = await database.createOrdersTable();
      const now = table;
      useTable(restored);
      await orders(['import', file('{"id":1,"status":"pending"}\n{"id":2,"status":"pending"}')]);
      useTable(now);
      await orders(['import', file('{"id":1,"status":"cancelled","cancelledBy":"key_1"}')]);
      await orders(['import', file('{"id":2,"status":"shipped"}')]);

      const { stdout: input } = await orders(['export', '--table', restored]);
      const { exitCode } = await orders(['import', '--replace', '-'], { input });

      expect(exitCode).toBe(4);
      expect(await exported()).toBe('{"id":1,"status":"pending"}\n{"id":2,"status":"shipped"}\n');
    });
  });

  it('is completed after an interruption by the command run again', async () => {
    const path = file(lines(1_000));
    const controller = new AbortController();
    const send = DynamoDBDocumentClient.prototype.send;
    let batches = 0;
    DynamoDBDocumentClient.prototype.send = function (command: object, ...rest: unknown[]) {
      if (command instanceof BatchExecuteStatementCommand && ++batches === 16) controller.abort();
      return Reflect.apply(send, this, [command, ...rest]);
    };
    try {
      const { exitCode, stderr } = await orders(['import', path], {
        onInterrupt: () => controller.signal,
      });

      expect(exitCode).toBe(5);
      expect(stderr).toBe(
        `error: ${path}: stopped with 400 orders in the table: interrupted while loading; run the ` +
          'command again\n',
      );
      expect(await stored()).toHaveLength(400);
    } finally {
      DynamoDBDocumentClient.prototype.send = send;
    }

    expect((await orders(['import', path])).exitCode).toBe(0);

    expect(await stored()).toHaveLength(1_000);
  });
});

describe('orders export', () => {
  const cancelled =
    '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,' +
    '"status":"cancelled","cancelledAt":"2026-11-20T09:31:00.000Z","cancelledBy":"key_1","cancelRequestId":"c"}';
  const shipped =
    '{"id":-5,"status":"shipped","shippedAt":"2026-11-20T09:31:00.000Z","shipRequestId":"s"}';

  it('writes whole orders, which import as the same orders', async () => {
    await orders(['import', file(`${cancelled}\n${shipped}\n`)]);
    const before = await stored();
    const out = join(directory.path, 'out.jsonl');

    const { stdout } = await orders(['export', '--out', out, '--json']);

    expect(JSON.parse(stdout)).toEqual({ orders: 2, format: 'jsonl', out });
    expect(readFileSync(out, 'utf8').split('\n').sort()).toEqual(['', shipped, cancelled]);
    useTable(await database.createOrdersTable());
    expect((await orders(['import', out])).exitCode).toBe(0);
    expect(await stored()).toEqual(before);
  });

  it('writes a table, in which a spreadsheet runs no text as a formula', async () => {
    const shipDates = ['=HYPERLINK("x")', '+1', '-1+1', '@SUM(1)', '\t=1', 'a,"b"'];
    const divided = ['a;=1', 'a\t+1', 'a\r-1', 'a\n@1', 'a;"=1"', 'a-1'];
    for (const [index, shipDate] of [...shipDates, ...divided].entries()) {
      const Item = { id: { N: `-${index}` }, quantity: { N: '-1' }, shipDate: { S: shipDate } };
      await database.dynamodb.send(new PutItemCommand({ TableName: table, Item }));
    }

    const { stdout } = await orders(['export', '--format', 'csv']);

    const [header, ...rows] = stdout.trimEnd().split(/\n(?=-|0)/);
    expect(header).toMatch(/^id,petId,quantity,shipDate,complete,status,cancelledAt,/);
    expect(rows.sort()).toEqual(
      [
        `0,,-1,"'=HYPERLINK(""x"")"`,
        "-1,,-1,'+1",
        "-2,,-1,'-1+1",
        "-3,,-1,'@SUM(1)",
        `-4,,-1,"'\t'=1"`,
        '-5,,-1,"a,""b"""',
        `-6,,-1,"a;'=1"`,
        `-7,,-1,"a\t'+1"`,
        `-8,,-1,"a\r'-1"`,
        `-9,,-1,"a\n'@1"`,
        `-10,,-1,"a;'""=1"""`,
        '-11,,-1,a-1',
      ]
        .map((row) => `${row},,,,,,,,,`)
        .sort(),
    );
  });

  it.each(['jsonl', 'csv'])('writes no control sequence to a terminal, as %s', async (format) => {
    const Item = { id: { N: '1' }, cancelledBy: { S: '\u001b]0;a\u009b\u202e' } };
    await database.dynamodb.send(new PutItemCommand({ TableName: table, Item }));

    const words = ['export', '--format', format];
    const [shown, piped] = [await orders(words, { isTerminal: true }), await orders(words)];

    expect(shown.stdout).toContain('\\u001b]0;a\\u009b\\u202e');
    expect(piped.stdout).toContain('\u009b\u202e');
  });

  it('refuses a file whose name promises another format', async () => {
    const { exitCode, stderr } = await orders(['export', '--out', join(directory.path, 'x.xlsx')]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: --out: .* expected a file that ends with \.jsonl or \.csv\n$/);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('writes what another program has stored, and names what a line cannot hold', async () => {
    const put = (Item: PutItemCommand['input']['Item']) =>
      database.dynamodb.send(new PutItemCommand({ TableName: table, Item }));
    await put({ id: { N: '1' }, note: { S: 'x' }, count: { N: '9007199254740993' } });
    expect(await orders(['export'])).toEqual({
      exitCode: 0,
      stdout: '{"id":1,"count":9007199254740993,"note":"x"}\n',
      stderr: `Exported 1 order.\nstage staging at ${database.endpoint}\n`,
    });
    await put({ id: { N: '1' }, tags: { SS: ['x'] } });

    const { exitCode, stderr } = await orders(['export']);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('order 1: its attribute "tags" is a collection or binary');
  });

  it('names a table that is not there, or has no orders', async () => {
    const owners = await database.createOwnersTable();
    const Item = { ownerId: { S: 'own_1' } };
    await database.dynamodb.send(new PutItemCommand({ TableName: owners, Item }));

    const [missing, other] = [
      await orders(['export', '--table', 'gone']),
      await orders(['export', '--table', owners]),
    ];

    expect(missing).toMatchObject({ exitCode: 1, stderr: 'error: There is no table gone\n' });
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain(`${owners} has other items than orders`);
  });

  it('writes an empty file of an empty table', async () => {
    const out = (name: string) => join(directory.path, name);
    for (const name of ['empty.jsonl', 'empty.csv']) await orders(['export', '--out', out(name)]);

    expect(readFileSync(out('empty.jsonl'), 'utf8')).toBe('');
    expect(readFileSync(out('empty.csv'), 'utf8')).toMatch(/^id,[^\n]*\n$/);
  });

  it('leaves no part of a file behind when it fails', async () => {
    const { exitCode, stderr } = await orders(['export', '--out', `${directory.path}/no/out`]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: \S+: not exported: ENOENT/);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('makes a file that its owner alone can read, in the place of another', async () => {
    const out = directory.write('orders.jsonl', 'of an earlier run');

    await orders(['export', '--out', out]);

    expect(readFileSync(out, 'utf8')).toBe('');
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['a socket', 'socket'],
    ['a link, such as to standard output', 'link'],
    ['a directory', 'folder'],
    ['nothing', ''],
  ])('is not put in the place of %s, nor begun', async (_, name) => {
    const path = (entry: string) => (entry ? join(directory.path, entry) : '');
    const socket = createServer().listen(path('socket'));
    await once(socket, 'listening');
    symlinkSync(directory.write('file', 'as it was'), path('link'));
    mkdirSync(path('folder'));

    const { stderr } = await orders(['export', '--out', path(name)]);

    expect(stderr).toMatch(/^error: --out: .* is not accepted; expected a file/);
    expect(readdirSync(directory.path).sort()).toEqual(['file', 'folder', 'link', 'socket']);
    expect(readFileSync(path('link'), 'utf8')).toBe('as it was');
    expect(statSync(path('socket')).isSocket()).toBe(true);
    socket.close();
  });
});

describe('orders show, ship, cancel and reopen', () => {
  const states = {
    pending: '{"id":-9007199254740993,"petId":7,"status":"pending"}',
    shipped: '{"id":-9007199254740993,"status":"shipped","shippedAt":"2026-11-20T09:31:00Z"}',
    cancelled:
      '{"id":-9007199254740993,"petId":7,"status":"cancelled","cancelledAt":"2026-11-20T09:31:00Z",' +
      '"cancelledBy":"key_1","cancelRequestId":"c"}',
  };
  const id = '-9007199254740993';
  const shown = async () => (await orders(['show', id])).stdout;

  it('says so when there is no such order, or no such id', async () => {
    for (const verb of ['show', 'ship', 'cancel', 'reopen']) {
      expect((await orders([verb, '1'])).stderr).toBe('error: No order has the id 1\n');
      expect((await orders([verb, '01'])).stderr).toMatch(
        /^error: order id: "01" is not accepted; expected an integer from -9223372036854775808/,
      );
    }
  });

  it.each([
    [
      'ship',
      'pending',
      'shipped',
      /^\{"id":-9007199254740993,"petId":7,"status":"shipped","shippedAt":"\d{4}-[^"]+","shipRequestId":"[^"]+"\}$/,
    ],
    [
      'cancel',
      'pending',
      'cancelled',
      /^\{"id":-9007199254740993,"petId":7,"status":"cancelled","cancelledAt":"\d{4}-[^"]+","cancelledBy":"operator","cancelRequestId":"[^"]+"\}$/,
    ],
    [
      'reopen',
      'cancelled',
      'pending',
      /^\{"id":-9007199254740993,"petId":7,"status":"pending","reopenedAt":"\d{4}-[^"]+","reopenRequestId":"[^"]+"\}$/,
    ],
  ] as const)(
    'R6: %s makes a %s order %s, and answers what it was',
    async (verb, from, to, after) => {
      await orders(['import', file(states[from])]);

      const { stdout } = await orders([verb, id]);

      expect(stdout).toBe(`Order ${id} is ${to}. Before:\n${states[from]}\n`);
      expect((await shown()).trimEnd()).toMatch(after);
    },
  );

  it('answers in JSON with the order, and with what it was', async () => {
    await orders(['import', file(states.pending)]);

    const { stdout } = await orders(['cancel', id, '--json']);

    expect(stdout).toBe((await shown()).replace('}\n', `,"before":${states.pending}}\n`));
  });

  it.each([
    ['ship', 'shipped', 'shipped since 2026-11-20T09:31:00Z: only a pending order can be shipped'],
    [
      'ship',
      'cancelled',
      'cancelled since 2026-11-20T09:31:00Z: only a pending order can be shipped',
    ],
    [
      'cancel',
      'shipped',
      'shipped since 2026-11-20T09:31:00Z: only a pending order can be cancelled',
    ],
    [
      'cancel',
      'cancelled',
      'cancelled since 2026-11-20T09:31:00Z: only a pending order can be cancelled',
    ],
    [
      'reopen',
      'shipped',
      'shipped since 2026-11-20T09:31:00Z: only a cancelled order can be reopened',
    ],
    ['reopen', 'pending', 'pending: only a cancelled order can be reopened'],
  ] as const)('R6: %s refuses an order that is %s', async (verb, state, message) => {
    await orders(['import', file(states[state])]);

    const { exitCode, stderr } = await orders([verb, id]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: Order ${id} is ${message}\n`,
    });
    expect(await shown()).toBe(`${states[state]}\n`);
  });
});

describe('with another answer of DynamoDB', () => {
  let mock: ReturnType<typeof mockClient>;
  const isUuid = (value: unknown) => /^[0-9a-f-]{36}$/.test(String(value));
  beforeEach(() => {
    mock = mockClient(DynamoDBDocumentClient);
  });
  afterEach(() => mock.restore());

  it.each([
    ['ship', 'shipped', 'shipRequestId', true],
    ['cancel', 'cancelled', 'cancelRequestId', true],
    ['reopen', 'pending', 'reopenRequestId', true],
    ['ship', 'shipped', 'shipRequestId', false],
  ])(
    'orders %s finds an order %s, and its own %s there: %j',
    async (verb, status, field, isOwn) => {
      const order = { id: NumberValue.from(7), status };
      mock.on(UpdateCommand).callsFake(({ ExpressionAttributeValues: values }) => {
        const requestId = isOwn ? Object.values(values).find(isUuid) : 'another';
        mock.on(GetCommand).resolves({ Item: { ...order, [field]: requestId } });
        throw new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
      });

      const { exitCode, stdout, stderr } = await orders([verb, '7']);

      if (isOwn)
        expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `Order 7 is ${status}.\n` });
      else expect(stderr).toContain('Order 7 is shipped: only a pending');
    },
  );

  it.each([
    ['ship', ['ship', '7'], 'DynamoDB UpdateItem'],
    ['export', ['export'], 'DynamoDB Scan'],
    ['import', ['import', 'orders.jsonl'], 'DynamoDB BatchExecuteStatement'],
  ])('orders %s is not done where the answer is empty', async (_, words, call) => {
    mock.onAnyCommand().resolves({});
    const path = file('{"id":7}');

    const { exitCode, stdout, stderr } = await orders(
      words.map((word) => (word === 'orders.jsonl' ? path : word)),
    );

    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain(`${call} may not have been done`);
  });

  it.each([
    ['has no orders', { Count: 2 }],
    ['has some of its orders', { Items: [{ id: NumberValue.from(1) }], Count: 2 }],
  ])('orders export is not content with a page that %s', async (_, answer) => {
    mock.on(ScanCommand).resolves(answer);
    const opening = openingLate();

    const { exitCode, stderr } = await orders(['export', '--out', join(directory.path, 'out')]);

    await opening.end();
    expect(exitCode).toBe(3);
    expect(stderr).toContain('DynamoDB Scan may not have been done');
    expect(readdirSync(directory.path)).toEqual([]);
  });
});

/** Lets a stream open its file only after everything else has been done, as on a busy machine. */
function openingLate(): { end(): Promise<void> } {
  const { open } = fs;
  const late: (() => void)[] = [];
  const spy = jest.spyOn(fs, 'open').mockImplementation((...parameters: unknown[]) => {
    late.push(() => Reflect.apply(open, fs, parameters));
  });
  return {
    end: async () => {
      spy.mockRestore();
      for (const openNow of late) openNow();
      if (late.length > 0) await wait(50);
    },
  };
}
