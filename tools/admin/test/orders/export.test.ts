import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { directory, file, orders, put } = await ordersOfEachTest();

describe('orders export', () => {
  const cancelled =
    '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,' +
    '"status":"cancelled","cancelledAt":"2026-11-20T09:31:00.000Z","cancelledBy":"key_1","cancelRequestId":"c"}';
  const shipped =
    '{"id":-5,"status":"shipped","shippedAt":"2026-11-20T09:31:00.000Z","shippedBy":"ann"}';

  it('writes a line for each order to a file', async () => {
    await orders(['import', file(`${cancelled}\n${shipped}\n`)]);
    const out = join(directory.path, 'out.jsonl');

    const { stdout } = await orders(['export', '--out', out, '--json']);

    expect(JSON.parse(stdout)).toEqual({ orders: 2, out });
    expect(readFileSync(out, 'utf8').split('\n').sort()).toEqual(['', shipped, cancelled]);
  });

  it('escapes control sequences on a terminal', async () => {
    await put({ id: { N: '1' }, cancelledBy: { S: '\u001b]0;a\u009b\u202e' } });
    const [shown, piped] = [
      await orders(['export'], { isTerminal: true }),
      await orders(['export']),
    ];

    expect(shown.stdout).toContain('\\u001b]0;a\\u009b\\u202e');
    expect(piped.stdout).toContain('\u009b\u202e');
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

  it('writes only the orders in one state', async () => {
    await orders(['import', file(`${cancelled}\n${shipped}\n{"id":1}\n`)]);

    const { stdout, stderr } = await orders(['export', '--status', 'shipped']);

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
    ['a link, such as to standard output', 'link'],
    ['a directory', 'folder'],
    ['nothing', ''],
  ])('refuses to replace %s', async (_, name) => {
    const path = (entry: string) => (entry ? join(directory.path, entry) : '');
    symlinkSync(directory.write('file', 'as it was'), path('link'));
    mkdirSync(path('folder'));

    const { stderr } = await orders(['export', '--out', path(name)]);

    expect(stderr).toMatch(/^error: --out: .* is not accepted; expected the path of a file/);
    expect(readFileSync(path('link'), 'utf8')).toBe('as it was');
  });
});
