import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { directory, file, meanwhile, orders, put, stored } = await ordersOfEachTest();
const lines = (count: number, rest = '') =>
  Array.from({ length: count }, (_, id) => `{"id":${id}${rest}}\n`).join('');
const summary = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;
/** Interrupts an import of this many lines after it has checked all of them and loaded half. */
const halfWay = (lines: number) => {
  let reads = 0;
  return {
    get aborted() {
      return reads++ >= 1.5 * lines;
    },
  } as AbortSignal;
};

describe('orders import', () => {
  it('loads each order of a long file once, and prints a summary, and its progress on a terminal only', async () => {
    const path = file(lines(1_003));

    const first = await orders(['import', path]);
    const again = await orders(['import', path, '--json'], { isTerminal: true });

    expect(first).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Imported 1,003 orders in \d+\.\d s; 0 already existed\.\n$/),
      stderr: '',
    });
    expect(summary(again.stdout)).toEqual({
      file: path,
      inserted: 0,
      alreadyThere: 1_003,
      updated: 0,
      different: 0,
      applied: true,
      seconds: expect.any(Number),
    });
    expect(again.stderr).toMatch(/^\r\S+25 orders checked\r/);
    expect(await stored()).toHaveLength(1_003);
  });

  it('names the file and line of every bad line, and loads nothing', async () => {
    const path = file('{"id":1}\n{"id":"two"}\n{"id":3,"complete":0}\n');

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `${path}: line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807`,
      `${path}: line 3: complete: 0 is not accepted; expected true or false`,
      `error: ${path}: 2 bad lines and 1 good one; nothing was written: correct the file`,
      '',
    ]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    [() => 'no-such-file', /^error: file: "no-such-file" is not accepted; .* \(ENOENT/],
    [
      () => directory.path,
      /^error: file: .* is not accepted; expected a regular file of orders, or - for standard input\n$/,
    ],
  ])('refuses a path that is not a file', async (path, message) => {
    const { exitCode, stderr } = await orders(['import', path()]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(await stored()).toEqual([]);
  });

  it('prints every order that exists with other values', async () => {
    await orders(['import', file(lines(30, ',"petId":1'))]);
    const path = file(lines(31, ',"petId":2'));

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      /^Imported 1 order in \d+\.\d s; 0 already existed; 30 different from the file\.\n$/,
    );
    expect(stderr.match(/has petId 1, the line says 2/g)).toHaveLength(30);
    expect(stderr).toContain(`${path}: line 20: order 19 has petId 1, the line says 2\n`);
    expect(stderr).toMatch(
      /error: .*: 30 orders different from the file; --update sets petId, .* "cancel" and "reopen" change the state/,
    );
    expect((await stored()).filter(({ petId }) => petId!.N === '1')).toHaveLength(30);
  });

  it('loads an order without a status as pending, or as shipped if it is complete', async () => {
    await orders(['import', file('{"id":1}\n{"id":2,"complete":true}\n{"id":3,"complete":false}')]);

    const statuses = (await stored()).map(({ id, status }) => `${id!.N} ${status!.S}`);
    expect(statuses.sort()).toEqual(['1 pending', '2 shipped', '3 pending']);
  });

  it('reads standard input twice, also as CSV', async () => {
    const csv = `id,petId\n${Array.from({ length: 99 }, (_, id) => `${id},1\n`).join('')}`;

    const { stdout } = await orders(['import', '-', '--format', 'csv'], { input: csv });
    const { exitCode, stderr } = await orders(['import', '-'], { input: csv });

    expect(stdout).toContain('Imported 99 orders');
    expect(exitCode).toBe(1);
    const told = stderr.trimEnd().split('\n');
    expect(told).toHaveLength(101);
    expect(told[99]).toMatch(
      /^-: line 100: is not JSON: .* or CSV in a file whose name ends with \.csv$/,
    );
    expect(told[100]).toContain('-: 100 bad lines and 0 good ones; nothing was written');
  });

  it.each([
    [
      'id,pet_id\n1,2',
      'line 1: column of the first line: "pet_id" is not accepted; expected id and any of',
    ],
    [
      'id,petId,id\n1,2,3',
      'line 1: column of the first line: "id" is not accepted; expected id and any of',
    ],
    [
      'petId\n1',
      'line 1: first line: "petId" is not accepted; expected id and any of petId, quantity, sh',
    ],
    ['"id\n1', 'line 1: is not CSV: a quotation mark is missing, or is inside a cell'],
    [Buffer.from([0x69, 0x64, 0xff]), 'line 1: is not UTF-8: it is damaged or has another encod'],
    ['', 'no orders; nothing was written'],
    ['id,petId\n\n', 'no orders; nothing was written'],
  ])('refuses CSV without the columns of an order in one line: %j', async (csv, message) => {
    const path = file(csv, 'orders.csv');

    const { exitCode, stderr } = await orders(['import', path]);

    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: [^\n]+\n$/)]);
    expect(stderr).toContain(`${path}: ${message}`);
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

      const { exitCode, stdout, stderr } = await orders(['import', '--update', path, '--json']);

      expect(exitCode).toBe(4);
      expect(summary(stdout)).toMatchObject({
        inserted: 1,
        alreadyThere: 0,
        updated: 2,
        different: 2,
      });
      expect(stderr.split('\n').slice(0, 2)).toEqual([
        `${path}: line 2: order 2 has no complete, the line says true; is cancelled, the line says pending`,
        `${path}: line 3: order 3 is shipped, the line says pending`,
      ]);
      expect(await exported()).toBe(after);
      expect(await orders(['import', '--update', file(after)])).toMatchObject({ exitCode: 0 });
      expect(await exported()).toBe(after);
    });

    it.each([
      ['cancelled', { status: { S: 'cancelled' } }, 'is cancelled, the line says pending', '2'],
      ['changed', { quantity: { N: '5' } }, 'has changed since it was read; import it again', '5'],
      ['deleted', undefined, 'has changed since it was read; import it again', undefined],
    ])('reports an order that was %s after it was read', async (_, attributes, note, quantity) => {
      await put({ id: { N: '1' }, status: { S: 'pending' } });
      meanwhile('UpdateItem', '1', attributes);
      const path = file('{"id":1,"quantity":2,"status":"pending"}');

      const { exitCode, stderr } = await orders(['import', '--update', path]);

      expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`order 1 ${note}\n`)]);
      expect((await stored())[0]?.quantity?.N).toBe(quantity);
    });

    it('shows the changes in a dry run, and makes none', async () => {
      await orders(['import', file(before)]);
      const words = ['import', '--update', file(wanted), '--dry-run'];

      const { exitCode, stdout, stderr } = await orders(words);
      const { stdout: json } = await orders([...words, '--json']);

      expect(exitCode).toBe(4);
      expect(summary(json)).toMatchObject({ inserted: 1, updated: 2, applied: false });
      expect(stdout).toMatch(
        /^Would have imported 1 order and updated 2 in .* s; 0 already existed; 2 different from the file\.\n$/,
      );
      expect(stderr).toContain(
        'line 1: order 1 has petId 7, the line says 8; has no quantity, the line says 2\n',
      );
      expect(stderr).toContain('line 2: order 2 has quantity 1, the line says 3; has no complete');
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

    expect([exitCode, stderr]).toEqual([
      5,
      'error: -: interrupted while reading; run the command again\n',
    ]);
  });

  it('completes an interrupted import when it is run again', async () => {
    const path = file(lines(1_000));

    const { exitCode, stderr } = await orders(['import', path], { interruption: halfWay(1_000) });

    expect([exitCode, stderr]).toEqual([
      5,
      `error: ${path}: stopped after 500 orders or more: interrupted; run the command again\n`,
    ]);
    expect(await stored()).toHaveLength(500);
    expect((await orders(['import', path])).exitCode).toBe(0);
    expect(await stored()).toHaveLength(1_000);
  });

  it.each([
    ['before it loads', () => AbortSignal.abort(), 'interrupted'],
    ['in a dry run', () => halfWay(1_000), '/orders.jsonl: nothing was written: interrupted'],
  ])('says what to do if it is interrupted %s', async (_, interruption, message) => {
    const words = ['import', file(lines(1_000)), '--dry-run'];

    const { exitCode, stderr } = await orders(words, { interruption: interruption() });

    expect([exitCode, stderr.replace(directory.path, '')]).toEqual([
      5,
      `error: ${message}; run the command again\n`,
    ]);
  });
});
