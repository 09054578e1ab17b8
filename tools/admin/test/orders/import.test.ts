import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import {
  answer,
  executedAndLost,
  forward,
  lost,
  throttled,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { patientAttempts } from '../../stage/call-limits.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, proxy, put, stored } = await ordersOfEachTest();
const lines = (count: number) =>
  Array.from({ length: count }, (_, id) => `{"id":${id}}\n`).join('');
const nothingWritten =
  '; nothing was written: correct the file, which has an order such as {"id":1001} on each line\n';

describe('orders import', () => {
  it('creates the orders that do not exist, and counts the orders that exist', async () => {
    const changed = { id: { N: '7' }, status: { S: 'cancelled' }, note: { S: 'x' } };
    await put(changed);
    const path = file(lines(43));

    const first = await orders(['import', path]);
    const again = await orders(['import', path, '--json']);

    expect(first).toEqual({
      exitCode: 0,
      stdout: 'Imported 42 orders; 1 already there.\n',
      stderr: '',
    });
    expect(again.stdout).toBe('{"imported":0,"alreadyThere":43}\n');
    const items = await stored();
    expect(items).toHaveLength(43);
    expect(items).toContainEqual(changed);
  });

  it('takes every field, exact integers, and the state from complete if a line has no status', async () => {
    const full =
      '{"id":-9007199254740993,"petId":7,"quantity":9223372036854775807,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"cancelled"}';

    const { exitCode } = await orders(['import', '-'], {
      input: `\ufeff${full}\r\n\r\n \t\n{"id":2,"complete":true}\n{"id":3,"complete":false}`,
    });

    expect(exitCode).toBe(0);
    const items = await stored();
    expect(items).toHaveLength(3);
    expect(items).toEqual(
      expect.arrayContaining([
        {
          id: { N: '-9007199254740993' },
          petId: { N: '7' },
          quantity: { N: '9223372036854775807' },
          shipDate: { S: '2026-11-20T09:30:00Z' },
          complete: { BOOL: false },
          status: { S: 'cancelled' },
        },
        { id: { N: '2' }, complete: { BOOL: true }, status: { S: 'shipped' } },
        { id: { N: '3' }, complete: { BOOL: false }, status: { S: 'pending' } },
      ]),
    );
  });

  it.each<[string, string]>([
    ['nonsense', 'Unexpected token'],
    ['{"id":1 "petId":7}', "Expected ',' or '}' after property value in JSON at position 8;"],
    ['null', 'id: missing; expected an integer from -9223372036854775808 to 9223372036854775807;'],
    ['{"id":"7"}', 'id: "7" is not accepted; expected an integer'],
    ['{"id":{"N":"1"}}', 'id: {"M":{"N":{"S":"1"}}} is not accepted'],
    ['{"id":1,"petId":1.0}', 'petId: 1.0 is not accepted'],
    ['{"id":1,"cancelledBy":"ann"}', '"cancelledBy": an order has no such field;'],
    ['{"id":1,"status":"Pending"}', 'status: "Pending" is not accepted; expected "pending", "ship'],
    ['{"id":1,"shipDate":"2026-11-20"}', 'shipDate: "2026-11-20" is not accepted; expected a date'],
    [`{"id":1,"shipDate":"${'x'.repeat(99)}"}`, `shipDate: "${'x'.repeat(59)}… is not accepted`],
    ['{"id":1,"complete":true,"status":"pending"}', 'complete is true, but status is "pending";'],
    ['{"id":-1}', 'the id is already on line 1;'],
  ])('names a bad line, and creates no order: %s', async (line, fault) => {
    const path = file(`{"id":-1}\n${line}\n{"id":3}`);

    const { exitCode, stdout, stderr } = await orders(['import', path]);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error: ${path}: line 2: ${fault}`);
    expect(stderr).toContain(nothingWritten);
    expect(await stored()).toEqual([]);
  });

  it('refuses a file without orders, and a path that is not a file', async () => {
    expect((await orders(['import', file('\n \r\n')])).stderr).toContain(
      `: no orders${nothingWritten}`,
    );
    expect(await orders(['import', 'no-such-file'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: file: "no-such-file" is not accepted; .* \(ENOENT/),
    });
  });

  it('sends a write again whose response is lost, and counts its order as imported', async () => {
    let writes = 0;
    proxy.reply = (call) => (++writes % 10 === 0 ? executedAndLost : forward)(call);

    const { exitCode, stdout } = await orders(['import', file(lines(60))]);

    expect([exitCode, stdout]).toEqual([0, 'Imported 60 orders.\n']);
    expect(writes).toBeGreaterThan(65);
    expect(await stored()).toHaveLength(60);
  });

  it('never undoes what a client did before a lost write was sent again', async () => {
    const cancelled = { id: { N: '7' }, status: { S: 'cancelled' } };
    proxy.next.push(async (call) => {
      await call.execute();
      await put(cancelled);
      lost(call);
    });

    const { exitCode, stdout } = await orders(['import', file('{"id":7}')]);

    expect([exitCode, stdout]).toEqual([0, 'Imported 0 orders; 1 already there.\n']);
    expect(await stored()).toEqual([cancelled]);
  });

  it('repeats a throttled write, but gives up in the end', async () => {
    const path = file('{"id":1}');
    proxy.reply = throttled;

    const failed = await orders(['import', path]);

    expect([failed.exitCode, proxy.requests.length]).toEqual([3, patientAttempts]);
    expect(failed.stderr).toMatch(/^error: order 1: .* is throttled .*run the command again\n$/);
    proxy.next.push(...Array(4).fill(throttled));
    proxy.reply = forward;
    expect(await orders(['import', path])).toMatchObject({ exitCode: 0 });
  });

  it('fails if a response does not say that the order is written, and begins no further order', async () => {
    proxy.next.push(answer({}));

    const { exitCode, stderr } = await orders(['import', file(lines(60))]);

    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('not that of DynamoDB')]);
    await proxy.isAtRest();
    expect(proxy.requests.length).toBeLessThan(60);
  });

  it('ends at Ctrl+C with exit code 5, and completes when it is run again', async () => {
    const path = file(lines(60));
    const controller = new AbortController();
    let writes = 0;
    proxy.reply = (call) => {
      if (++writes === 30) controller.abort();
      forward(call);
    };

    const { exitCode, stderr } = await orders(['import', path], {
      interruption: controller.signal,
    });

    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringMatching(/^error: order \d+: interrupted; run the command again\n$/),
    ]);
    await proxy.isAtRest();
    const imported = (await stored()).length;
    expect(imported).toBeLessThan(60);
    expect((await orders(['import', path])).stdout).toMatch(`; ${imported} already there.`);
    expect(await stored()).toHaveLength(60);
  });

  it('ends at Ctrl+C while it waits for somebody who types the orders', async () => {
    const controller = new AbortController();
    const stdin = new Readable({ read: () => setImmediate(() => controller.abort()) });

    const run = await orders(['import', '-'], { stdin, interruption: controller.signal });

    expect(run).toMatchObject({
      exitCode: 5,
      stderr: 'error: interrupted; run the command again\n',
    });
  });
});
