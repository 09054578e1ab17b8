import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { csvHeader } from '../../orders/order-csv.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { database, directory, file, orders, put } = await ordersOfEachTest();

describe('orders export', () => {
  const cancelled =
    '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,' +
    '"status":"cancelled","cancelledAt":"2026-11-20T09:31:00.000Z","cancelledBy":"key_1","cancelRequestId":"c"}';
  const shipped =
    '{"id":-5,"status":"shipped","shippedAt":"2026-11-20T09:31:00.000Z","shippedBy":"ann"}';

  it.each(['jsonl', 'csv'])('writes a line for each order to a file, as %s', async (format) => {
    await orders(['import', file(`${cancelled}\n${shipped}\n`)]);
    const out = join(directory.path, `out.${format}`);

    const { stdout } = await orders(['export', '--out', out, '--json']);

    expect(JSON.parse(stdout)).toEqual({ orders: 2, format, out });
    const lines = readFileSync(out, 'utf8').split('\n').sort();
    if (format === 'jsonl') expect(lines).toEqual(['', shipped, cancelled]);
    else expect(lines).toEqual(expect.arrayContaining(['', csvHeader]));
  });

  it('writes CSV in which a spreadsheet runs no text as a formula', async () => {
    const cells = [
      ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
      ['+1', "'+1"],
      ['-1+1', "'-1+1"],
      ['@SUM(1)', "'@SUM(1)"],
      ['\t=1', `"'\t'=1"`],
      ['a,"b"', '"a,""b"""'],
      ['a;=1', `"a;'=1"`],
      ['a\t+1', `"a\t'+1"`],
      ['a\r-1', `"a\r'-1"`],
      ['a;"=1"', `"a;'""=1"""`],
      ['a-1', 'a-1'],
      ['＝1', "'＝1"],
    ].map(([name, cell], index) => ({ id: `-${index + 1}`, name: name!, cell: cell! }));
    for (const { id, name } of cells) {
      await put({ id: { N: id }, quantity: { N: '-1' }, cancelledBy: { S: name } });
    }

    const { stdout } = await orders(['export', '--format', 'csv']);

    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^id,petId,quantity,shipDate,/);
    const expected = cells.map(({ id, cell }) => {
      const row = new Map(
        Object.entries({ id, quantity: '-1', status: 'null', cancelledBy: cell }),
      );
      return header.split(',').map((column) => row.get(column) ?? '');
    });
    expect(rows.sort()).toEqual(expected.map((row) => row.join(',')).sort());
  });

  it.each(['jsonl', 'csv'])('escapes control sequences on a terminal, as %s', async (format) => {
    await put({ id: { N: '1' }, cancelledBy: { S: '\u001b]0;a\u009b\u202e' } });
    const words = ['export', '--format', format];
    const [shown, piped] = [await orders(words, { isTerminal: true }), await orders(words)];

    expect(shown.stdout).toContain('\\u001b]0;a\\u009b\\u202e');
    expect(piped.stdout).toContain('\u009b\u202e');
  });

  it('names a table that does not exist or contains other items', async () => {
    const owners = await database.createOwnersTable();
    await put({ ownerId: { S: 'own_1' } }, owners);

    const [missing, other, empty, impossible] = [
      await orders(['export', '--table', 'gone']),
      await orders(['export', '--table', owners]),
      // As of a variable that is not set.
      await orders(['export', '--table', '']),
      await orders(['export', '--table', 'orders 1']),
    ];

    expect(missing).toMatchObject({ exitCode: 1, stderr: 'error: There is no table gone\n' });
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain(`${owners} contains items that are not orders`);
    expect(empty.stderr).toMatch(/^error: --table: "" is not accepted; expected the name of/);
    expect(impossible).toMatchObject({ exitCode: 1, stdout: '' });
    expect(impossible.stderr).toMatch(/^error: --table: "orders 1" is not accepted; expected the/);
  });

  it.each([
    ['a file', ['--out', 'orders.jsonl']],
    ['a pipe that nobody reads', []],
  ])(
    'ends at Ctrl+C with exit code 5, and leaves no file, when it writes to %s',
    async (_, out) => {
      await orders(['import', file('{"id":1}', 'one.jsonl')]);
      const controller = new AbortController();
      const stdout = new Writable({ highWaterMark: 1, write: () => controller.abort() });
      const words = out.map((word) =>
        word === 'orders.jsonl' ? join(directory.path, word) : word,
      );
      if (out.length > 0) controller.abort();

      const { exitCode, stderr } = await orders(['export', ...words], {
        stdout,
        interruption: controller.signal,
      });

      expect(exitCode).toBe(5);
      expect(stderr).toMatch(/^error: interrupted after [01] orders?; run the command again\n$/);
      expect(readdirSync(directory.path)).toEqual(['one.jsonl']);
    },
  );

  it('shows its progress on a terminal, unless the terminal shows the orders', async () => {
    await put({ id: { N: '1' } });
    const out = join(directory.path, 'orders.jsonl');

    const written = await orders(['export', '--out', out], { isTerminal: true });
    const shown = await orders(['export'], { isTerminal: true });

    expect(written.stderr).toContain('1 order exported');
    expect(shown.stderr).not.toContain('exported');
  });

  it.each([
    ['EPIPE', 0],
    ['ENOSPC', 1],
  ])('does not report %s of standard output itself, and exits with %i', async (code, exit) => {
    await put({ id: { N: '1' } });
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });

    const { exitCode, stderr } = await orders(['export'], { stdout });

    expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr: '' });
  });

  it.each(['jsonl', 'csv'])('writes only the orders in one state, as %s', async (format) => {
    await orders(['import', file(`${cancelled}\n${shipped}\n{"id":1}\n`)]);
    const words = ['export', '--format', format, '--status', 'shipped'];

    const { stdout, stderr } = await orders(words);

    expect(stdout.match(/-5|9007199254740993/g)).toEqual(['-5']);
    expect(stderr).toContain('Exported 1 order.');
  });

  it('leaves no incomplete file when it fails', async () => {
    for (const folder of [join(directory.path, 'no'), directory.write('file', '')]) {
      const { exitCode, stderr } = await orders(['export', '--out', join(folder, 'out')]);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error: .+: not written: ENO/);
    }
    expect(readdirSync(directory.path)).toEqual(['file']);
  });

  it('replaces a file with one that only its owner can read', async () => {
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
  ])('refuses to replace %s', async (_, name) => {
    const path = (entry: string) => (entry ? join(directory.path, entry) : '');
    const socket = createServer().listen(path('socket'));
    await once(socket, 'listening');
    symlinkSync(directory.write('file', 'as it was'), path('link'));
    mkdirSync(path('folder'));

    const { stderr } = await orders(['export', '--out', path(name)]);

    expect(stderr).toMatch(/^error: --out: .* is not accepted; expected the path of a file/);
    expect(readdirSync(directory.path).sort()).toEqual(['file', 'folder', 'link', 'socket']);
    expect(readFileSync(path('link'), 'utf8')).toBe('as it was');
    expect(statSync(path('socket')).isSocket()).toBe(true);
    socket.close();
  });

  it.each([
    ['is empty', {}],
    ['has some of its orders', { Items: [{ id: { N: '1' } }], Count: 2 }],
  ])('fails if a page %s', async (_, answer) => {
    const mock = mockClient(DynamoDBClient);
    mock.on(ScanCommand).resolves(answer);

    const { exitCode, stderr } = await orders(['export', '--out', join(directory.path, 'out')]);

    mock.restore();
    expect(exitCode).toBe(3);
    expect(stderr).toContain('DynamoDB Scan may or may not have been done');
    expect(readdirSync(directory.path)).toEqual([]);
  });
});
