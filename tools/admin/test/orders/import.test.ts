import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { database, directory, file, orders, stored } = ordersOfEachTest();
const lines = (count: number, rest = '') =>
  Array.from({ length: count }, (_, id) => `{"id":${id}${rest}}\n`).join('');
const summary = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;

describe('orders import', () => {
  it('loads each order of a long file once', async () => {
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

  it('prints a summary, and no progress without a terminal', async () => {
    expect(await orders(['import', file(lines(30))])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Imported 30 orders in \d+\.\d s; 0 already existed; 0 bad lines left out\.\n$/,
      ),
      stderr: `stage staging at ${database.endpoint}\n`,
    });
  });

  it('shows its progress on a terminal', async () => {
    const { stderr } = await orders(['import', file(lines(100))], { isTerminal: true });

    expect(stderr).toMatch(/^\r\S+100 orders checked\r[^\n]*stage staging/);
  });

  it('names the file and line of every bad line, and loads nothing', async () => {
    const path = file('{"id":1}\n{"id":"two"}\n{"id":3,"complete":0}\n');

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `${path}: line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807`,
      `${path}: line 3: complete: 0 is not accepted; expected true or false`,
      `error: ${path}: 2 bad lines beside 1 good one; nothing was loaded: correct the bad lines, ` +
        'which --rejects writes to a file, or skip them with --on-error skip',
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

  it('does not change existing orders', async () => {
    const path = file(lines(60));
    await orders(['import', path]);
    await orders(['cancel', '7']);

    const { stdout } = await orders(['import', file(lines(70)), '--json']);

    expect(summary(stdout)).toMatchObject({ inserted: 10, alreadyThere: 60, different: 0 });
    expect((await stored()).find(({ id }) => id!.N === '7')!.status).toEqual({ S: 'cancelled' });
  });

  it('prints the first twenty orders that exist with other values, and counts all', async () => {
    await orders(['import', file(lines(30, ',"petId":1'))]);
    const path = file(lines(31, ',"petId":2'));

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect(exitCode).toBe(4);
    expect(stdout).toContain('Imported 1 order in');
    expect(stdout).toContain('0 already existed; 30 with other values not changed; 0 bad');
    expect(stderr.match(/is in the table with/g)).toHaveLength(20);
    expect(stderr).toContain('further differences are only counted');
    expect(stderr).toContain('line 20: order 19 is in the table with petId 1 instead of 2\n');
    expect(stderr).toMatch(/error: .*: 30 orders with other values not changed; --replace changes/);
    expect((await stored()).filter(({ petId }) => petId!.N === '1')).toHaveLength(30);
  });

  it('loads an order without a status as pending, or as shipped if it is complete', async () => {
    await orders(['import', file('{"id":1}\n{"id":2,"complete":true}\n{"id":3,"complete":false}')]);

    const statuses = (await stored()).map(({ id, status }) => `${id!.N} ${status!.S}`);
    expect(statuses.sort()).toEqual(['1 pending', '2 shipped', '3 pending']);
  });

  it('reads standard input twice', async () => {
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
  ])('writes bad lines with their errors to a file, and exits with %i', async (exitCode, rest) => {
    const path = file('{"id":1}\n{"id": "two"}\n{"id":1,"petId":2}\n');
    const rejects = directory.write('rejects.jsonl', 'of an earlier run');

    const result = await orders(['import', path, '--rejects', rejects, ...rest]);

    expect(result.exitCode).toBe(exitCode);
    expect(result.stdout).toContain(exitCode === 0 ? '; 2 bad lines left out.' : '');
    const faults = [
      'line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807',
      'line 3: id: 1 is already on line 1',
    ];
    for (const fault of faults) expect(result.stderr).toContain(fault);
    expect(readFileSync(rejects, 'utf8')).toBe(
      `# ${faults[0]}\n{"id": "two"}\n# ${faults[1]}\n{"id":1,"petId":2}\n`,
    );
  });

  it.each([
    ['jsonl', '{"id":1,"petId":"one"}\n{"id":"two","petId":7}\n'],
    ['csv', '\ufeffpetId,id\r\n"one",1\r\n7,"two"\r\n'],
  ])('loads the corrected file of bad lines, as %s', async (format, content) => {
    const rejects = join(directory.path, `rejects.${format}`);
    await orders([
      'import',
      file(content, `o.${format}`),
      '--on-error',
      'skip',
      '--rejects',
      rejects,
    ]);
    const bad = readFileSync(rejects, 'utf8');
    const corrected = bad.replace(/"one"(?!.*accepted)/, '1').replace(/"two"(?!.*accepted)/, '2');

    const { exitCode } = await orders(['import', file(corrected, `c.${format}`)]);

    expect(exitCode).toBe(0);
    expect((await stored()).map(({ id, petId }) => [id!.N, petId?.N]).sort()).toEqual([
      ['1', '1'],
      ['2', '7'],
    ]);
  });

  it('prints the first twenty bad lines, counts all, and says how to import CSV', async () => {
    const csv = `id,petId\n${Array.from({ length: 99 }, (_, id) => `${id},1\n`).join('')}`;

    const { exitCode, stderr } = await orders(['import', file(csv, 'orders.txt')]);
    const { stdout } = await orders(['import', '-', '--format', 'csv'], { input: csv });

    expect(exitCode).toBe(1);
    const told = stderr.trimEnd().split('\n');
    expect(told).toHaveLength(22);
    expect(told[19]).toMatch(
      /line 20: is not JSON: .* or CSV in a file whose name ends with \.csv$/,
    );
    expect(told[20]).toMatch(/orders\.txt: further bad lines are only counted$/);
    expect(told[21]).toContain('orders.txt: 100 bad lines beside 0 good ones; nothing was loaded');
    expect(stdout).toContain('Imported 99 orders');
  });

  it.each([
    [
      'id,pet_id\n1,2',
      'column of the first line: "pet_id" is not accepted; expected id and any of',
    ],
    [
      'id,petId,id\n1,2,3',
      'column of the first line: "id" is not accepted; expected id and any of',
    ],
    ['petId\n1', 'first line: "petId" is not accepted; expected id and any of petId, quantity, sh'],
    ['"id\n1', 'first line: "\\"id" is not accepted; expected id and any of'],
  ])('refuses CSV without the columns of an order in one line: %j', async (csv, message) => {
    for (const onError of ['stop', 'skip']) {
      const path = file(csv, 'orders.csv');
      const { exitCode, stderr } = await orders(['import', path, '--on-error', onError]);

      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: [^\n]+\n$/)]);
      expect(stderr).toContain(message);
    }
  });

  it('does not write bad lines to the file that it reads, or to a path that is not a file', async () => {
    const path = file('{"id":1}\nx');
    const link = join(directory.path, 'link');
    symlinkSync(path, link);

    for (const [read, rejects] of [
      [path, path],
      [link, path],
      [path, link],
      [path, directory.path],
      [path, join(path, 'below-a-file')],
    ]) {
      const { exitCode, stderr } = await orders(['import', read!, '--rejects', rejects!]);

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

    it('R6: gives orders the values of the file, unless they have shipped', async () => {
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

    it('shows the changes in a dry run, and makes none', async () => {
      await orders(['import', file(before)]);
      const words = ['import', '--replace', file(wanted), '--dry-run'];

      const { stdout, stderr } = await orders(words);

      expect(stdout).toMatch(
        /^Would have imported 1 order and changed 2 in .* 1 already existed; 1 /,
      );
      expect(stderr).toContain(
        'line 1: order 1 is in the table with petId 7 instead of null, quantity',
      );
      expect(stderr).toContain(
        'line 2: order 2 is in the table with status "cancelled" instead of',
      );
      expect(stderr).toMatch(/keeps its state(.|\n)*error: .*; read the reasons above/);
      expect(await exported()).toBe(before);
    });

    it('corrects the fields of an order that has shipped', async () => {
      await orders(['import', file(before)]);
      const corrected = before.replace('"status":"shipped"', '"quantity":3,$&');

      expect(await orders(['import', '--replace', file(corrected)])).toMatchObject({ exitCode: 0 });

      expect(await exported()).toBe(corrected);
    });

    it('refuses a line without a status', async () => {
      const { exitCode, stderr } = await orders(['import', '--replace', file('{"id":1}')]);

      expect(exitCode).toBe(1);
      expect(stderr).toContain('line 1: status: missing; expected a whole order');
    });
  });

  it.each([
    ['before it reads', { atStart: true }],
    ['while it waits for somebody who types the orders', { reading: true }],
  ])('is interrupted %s', async (_, when: Record<string, boolean>) => {
    const controller = new AbortController();
    if (when.atStart) controller.abort();
    const { exitCode, stderr } = await orders(['import', '-'], {
      stdin: new Readable({ read: () => when.reading && setImmediate(() => controller.abort()) }),
      interruption: controller.signal,
    });

    expect([exitCode, stderr]).toEqual([
      5,
      'error: -: interrupted while reading; run the command again\n',
    ]);
  });

  it('completes an interrupted import when it is run again', async () => {
    const path = file(lines(1_000));
    let reads = 0;
    const interruption = {
      get aborted() {
        // All lines are checked before the first is loaded.
        return reads++ >= 1_500;
      },
    } as AbortSignal;

    const { exitCode, stderr } = await orders(['import', path], { interruption });

    expect([exitCode, stderr]).toEqual([
      5,
      `error: ${path}: stopped with 400 orders in the table: interrupted; run the command again\n`,
    ]);
    expect(await stored()).toHaveLength(400);
    expect((await orders(['import', path])).exitCode).toBe(0);
    expect(await stored()).toHaveLength(1_000);
  });

  it('says what to do if it is interrupted before it loads', async () => {
    const interruption = AbortSignal.abort();

    const { exitCode, stderr } = await orders(['import', file('{"id":1}')], { interruption });

    expect([exitCode, stderr]).toEqual([5, 'error: interrupted; run the command again\n']);
  });

  it('says that an interrupted dry run has written nothing', async () => {
    const path = file(lines(1_000));

    const { exitCode, stderr } = await orders(['import', path, '--dry-run', '--on-error', 'skip'], {
      interruption: AbortSignal.abort(),
    });

    expect([exitCode, stderr]).toEqual([
      5,
      `error: ${path}: nothing was written: interrupted; run the command again\n`,
    ]);
  });
});
