import { Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { forward, throttled } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { patientAttempts } from '../../stage/call-limits.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, proxy, stored } = await ordersOfEachTest();
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
    expect(stderr).toMatch(/error: see the 30 orders above; the listed orders are as they were/);
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
