import { Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { forward, throttled } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { patientAttempts } from '../../stage/call-limits.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();
const lines = (count: number, rest = '') =>
  Array.from({ length: count }, (_, id) => `{"id":${id}${rest}}\n`).join('');
const summary = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;
/** Interrupts an import in its first pass, or after this many orders. */
const after = (orders: number) => {
  let reads = 0;
  return {
    get aborted() {
      return reads++ >= orders;
    },
  } as AbortSignal;
};

describe('orders import', () => {
  it('loads each order of a long file once, and prints a summary, and its progress on a terminal only', async () => {
    const path = file(lines(203));

    const first = await orders(['import', path]);
    const again = await orders(['import', path, '--json'], { isTerminal: true });

    expect(first).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Imported 203 orders in \d+\.\d s\.\n$/),
      stderr: '',
    });
    expect(summary(again.stdout)).toEqual({
      inserted: 0,
      alreadyThere: 203,
      updated: 0,
      different: 0,
      seconds: expect.any(Number),
      listed: [],
    });
    expect(again.stderr).toMatch(/\r\S+1 of 203 orders, \d+ s left\r/);
    expect(await stored()).toHaveLength(203);
  });

  it('names the file and line of every bad line, and loads nothing', async () => {
    const path = file('{"id":1}\n{"id":"two"}\n{"id":3,"complete":0}\n');

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `${path}: line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807`,
      `${path}: line 3: complete: 0 is not accepted; expected true or false`,
      `error: ${path}: 2 bad lines and 1 good line; nothing was written: correct the file`,
      '',
    ]);
    expect(await stored()).toEqual([]);
  });

  it('refuses a path that is not a file', async () => {
    const { exitCode, stderr } = await orders(['import', 'no-such-file']);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: file: "no-such-file" is not accepted; .* \(ENOENT/);
  });

  it('lists every order that exists with other values, by its line', async () => {
    await orders(['import', file(lines(30, ',"petId":1'))]);
    const path = file(lines(31, ',"petId":2'));

    const { exitCode, stdout, stderr } = await orders(['import', path]);
    const { stdout: json } = await orders(['import', path, '--json']);

    const told = stdout.trimEnd().split('\n');
    expect([exitCode, told.length]).toEqual([4, 31]);
    expect(told[19]).toBe('line 20: order 19 has petId 1, the line says 2');
    expect(told[30]).toMatch(/^Imported 1 order in \d+\.\d s; 30 different from the file\.$/);
    expect(stderr).toMatch(
      /error: see the 30 orders above; --update sets petId, .* cancel and reopen change the state/,
    );
    expect(summary(json)).toMatchObject({
      different: 30,
      listed: expect.arrayContaining([
        { id: 19, line: 20, outcome: 'different', note: 'has petId 1, the line says 2' },
      ]),
    });
    expect((await stored()).filter(({ petId }) => petId!.N === '1')).toHaveLength(30);
  });

  it('loads an order without a status as pending, or as shipped if it is complete', async () => {
    await orders(['import', file('{"id":1}\n{"id":2,"complete":true}\n{"id":3,"complete":false}')]);

    const statuses = (await stored()).map(({ id, status }) => `${id!.N} ${status!.S}`);
    expect(statuses.sort()).toEqual(['1 pending', '2 shipped', '3 pending']);
  });

  describe('--update', () => {
    const before =
      '{"id":1,"petId":7,"shipDate":"2026-11-20T09:31:00Z","status":"pending"}\n' +
      '{"id":2,"quantity":1,"status":"cancelled","cancelledBy":"key_1"}\n' +
      '{"id":3,"status":"shipped","shippedAt":"2026-11-20T09:31:00Z"}\n';
    const wanted =
      '{"id":1,"petId":8,"quantity":2}\n{"id":2,"quantity":3,"complete":true,"status":"pending"}\n' +
      '{"id":3,"status":"pending"}\n{"id":4,"status":"pending"}\n';
    const after =
      '{"id":1,"petId":8,"quantity":2,"shipDate":"2026-11-20T09:31:00Z","status":"pending"}\n' +
      '{"id":2,"quantity":3,"status":"cancelled","cancelledBy":"key_1"}\n' +
      '{"id":3,"status":"shipped","shippedAt":"2026-11-20T09:31:00Z"}\n{"id":4,"status":"pending"}\n';
    const exported = async () =>
      `${(await orders(['export'])).stdout.trimEnd().split('\n').sort().join('\n')}\n`;

    it('R6: gives orders the values that lines have, and reports other states', async () => {
      await orders(['import', file(before)]);
      const path = file(wanted);

      const { exitCode, stdout } = await orders(['import', '--update', path, '--json']);

      expect(exitCode).toBe(4);
      const status = 'the line says "pending"';
      expect(summary(stdout)).toMatchObject({
        inserted: 1,
        updated: 1,
        different: 2,
        listed: [
          {
            id: 2,
            note: `is updated, but has no complete, the line says true; has status "cancelled", ${status}`,
          },
          { id: 3, note: `has status "shipped", ${status}` },
        ],
      });
      expect(await exported()).toBe(after);
      expect(await orders(['import', '--update', file(after)])).toMatchObject({ exitCode: 0 });
      expect(await exported()).toBe(after);
    });

    it.each([
      ['cancelled', { status: { S: 'cancelled' } }, undefined],
      ['changed', { quantity: { N: '5' } }, '5'],
      ['deleted', undefined, undefined],
    ])('lists an order that was %s after it was read', async (_, attributes, quantity) => {
      await put({ id: { N: '1' }, status: { S: 'pending' } });
      meanwhile('UpdateItem', '1', attributes);
      const path = file('{"id":1,"quantity":2,"status":"pending"}');

      const { exitCode, stdout } = await orders(['import', '--update', path]);

      const note = 'order 1 was changed by somebody else at the same time; import it again\n';
      expect([exitCode, stdout]).toEqual([4, expect.stringContaining(note)]);
      expect((await stored())[0]?.quantity?.N).toBe(quantity);
    });

    it.each([
      ['pending', true, false, 0],
      ['pending', false, true, 4],
      ['shipped', false, true, 0],
      ['cancelled', { S: 'x' }, false, 0],
    ])(
      'sets complete only to what the state says: %s, %j to %j',
      async (S, stored, wanted, exit) => {
        const complete = typeof stored === 'boolean' ? { BOOL: stored } : stored;
        await put({ id: { N: '1' }, status: { S }, complete });
        const path = file(`{"id":1,"complete":${wanted}}`);

        expect((await orders(['import', '--update', path])).exitCode).toBe(exit);
        expect((await orders(['import', path])).exitCode).toBe(exit);
      },
    );

    it('shows the changes in a dry run, and makes none', async () => {
      await orders(['import', file(before)]);
      const words = ['import', '--update', file(wanted), '--dry-run'];

      const { exitCode, stdout } = await orders(words);
      const { stdout: json } = await orders([...words, '--json']);

      expect(exitCode).toBe(4);
      expect(summary(json)).toMatchObject({ inserted: 1, updated: 2, different: 1 });
      expect(stdout).toMatch(
        /^Would import 1 order in .* s; 2 to update, 1 different from the file\.$/m,
      );
      expect(stdout).toContain(
        'line 1: order 1 has petId 7, the line says 8; has no quantity, the line says 2\n',
      );
      expect(stdout).toContain('line 2: order 2 has quantity 1, the line says 3; has no complete');
      expect(await exported()).toBe(before);
    });
  });

  it('is interrupted while it waits for somebody who types the orders', async () => {
    const controller = new AbortController();
    const stdin = new Readable({ read: () => setImmediate(() => controller.abort()) });

    const { exitCode, stderr } = await orders(['import', '-'], {
      stdin,
      interruption: controller.signal,
    });

    expect([exitCode, stderr]).toEqual([5, interruptedFirst]);
  });

  it('completes an interrupted import when it is run again', async () => {
    const path = file(lines(300));

    const { exitCode, stderr } = await orders(['import', path], { interruption: after(150) });

    const message = /^error: stopped after (\d+) orders: interrupted; run the command again\n$/;
    const [, imported] = message.exec(stderr) ?? [];
    expect(exitCode).toBe(5);
    expect(Number(imported)).toBeGreaterThan(100);
    expect(await stored()).toHaveLength(Number(imported));
    expect((await orders(['import', path])).exitCode).toBe(0);
    expect(await stored()).toHaveLength(300);
  });

  it('writes an order again while it is throttled, and not without end', async () => {
    // The pauses of the SDK are random, up to a limit.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const path = file('{"id":1}');
    proxy.reply = throttled;

    const failed = await orders(['import', path]);

    expect([failed.exitCode, proxy.requests.length]).toEqual([3, patientAttempts]);
    expect(failed.stderr).toMatch(
      /stopped after 0 orders: line 1, order 1: .* is throttled .*run the/,
    );
    proxy.next.push(...Array(4).fill(throttled));
    proxy.reply = forward;
    expect(await orders(['import', path])).toMatchObject({ exitCode: 0 });
  });
});

const interruptedFirst = 'error: interrupted: nothing was written; run the command again\n';
