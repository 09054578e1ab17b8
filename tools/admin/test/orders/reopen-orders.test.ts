import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  executedAndLost,
  forward,
  lost,
  type Reply,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import type { AdminOptions } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();
const nowMs = Date.parse('2026-11-20T12:00:00Z');

beforeEach(() => {
  // The SDK's delay before it repeats a call is random, up to a limit.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

const reopen = (words: string, io: AdminOptions = {}) =>
  orders(['reopen', ...words.split(' ').filter(Boolean), '--yes'], {
    now: () => nowMs,
    environment: { USER: 'ann' },
    ...io,
  });
const mistaken = '--cancelled-by key_1 --since 2026-11-20T09:00:00Z --until 2026-11-20T10:59:00Z';

const cancelled = (cancelledAt: string, cancelledBy = 'key_1', more: object = {}) => ({
  status: { S: 'cancelled' },
  cancelledAt: { S: `2026-11-20T${cancelledAt}` },
  cancelledBy: { S: cancelledBy },
  cancelRequestId: { S: `${cancelledBy} ${cancelledAt}` },
  ...more,
});

/** Orders that the command has to change, by their ids, and other orders. */
const meant: Record<string, Record<string, AttributeValue>> = {
  1: cancelled('09:00:00.000Z'),
  2: cancelled('09:59:59.999Z'),
  '-3': cancelled('11:59:00+01:00'),
  '9007199254740993': cancelled('10:59:00.000Z', 'key_1', { petId: { N: '7' } }),
};
const others: typeof meant = {
  11: cancelled('08:59:59.999Z'),
  12: cancelled('10:59:00.001Z'),
  13: cancelled('09:30:00.000Z', 'key_2'),
  14: { ...cancelled('09:30:00.000Z'), status: { S: 'shipped' } },
  15: { status: { S: 'cancelled' }, cancelledBy: { S: 'key_1' } },
};

async function putOrders(orders = { ...meant, ...others }) {
  for (const [id, order] of Object.entries(orders)) await put({ id: { N: id }, ...order });
}

async function statuses() {
  const orders = await stored();
  return Object.fromEntries(orders.map(({ id, status }) => [id!.N!, status!.S!]));
}

const hours = '2026-11-20T09:00Z  2 orders\n2026-11-20T10:00Z  2 orders\n';

const expected = {
  ...Object.fromEntries(Object.keys(meant).map((id) => [id, 'pending'])),
  ...Object.fromEntries(Object.entries(others).map(([id, { status }]) => [id, status!.S])),
};

describe('orders reopen --cancelled-by', () => {
  it('reopens the orders that one key cancelled in a period, and keeps who did both, and when', async () => {
    await putOrders();

    const { exitCode, stdout } = await reopen(mistaken);

    expect([exitCode, stdout]).toEqual([0, 'Reopened 4 orders in 0.0 s.\n']);
    expect(await statuses()).toEqual(expected);
    expect((await stored()).find(({ id }) => id!.N === '9007199254740993')).toEqual({
      ...meant['9007199254740993'],
      id: { N: '9007199254740993' },
      status: { S: 'pending' },
      reopenedAt: { S: '2026-11-20T12:00:00.000Z' },
      reopenedBy: { S: 'ann' },
    });
  });

  it('asks with the number of orders in each hour', async () => {
    await putOrders();
    const before = await stored();
    const words = ['reopen', ...mistaken.split(' ')];

    const { exitCode, stderr } = await orders(words, { isTerminal: true, input: 'n\n' });

    expect(exitCode).toBe(1);
    expect(stderr).toContain(hours);
    expect(stderr).toMatch(/: make 4 orders pending\? \[y\/N\]/);
    expect(await stored()).toEqual(before);
  });

  it('ends the period at the start of the command, and undoes no later cancellation in a second run', async () => {
    await putOrders({ 1: cancelled('09:00:00.000Z'), 2: cancelled('12:00:00.001Z') });
    const words = '--cancelled-by key_1 --since 2026-11-20T09:00:00Z --json';

    const first = await reopen(words);
    const [order] = (await stored()).filter(({ id }) => id!.N === '1');
    await put({ ...order, ...cancelled('12:30:00.000Z') });
    const second = await reopen(words, { now: () => nowMs + 3_600_000 });

    expect(JSON.parse(first.stdout)).toMatchObject({ reopened: 1, listed: [] });
    expect(JSON.parse(second.stdout)).toMatchObject({
      reopened: 1,
      listed: [{ id: 1, outcome: 'cancelledAgain' }],
    });
    expect(await statuses()).toEqual({ 1: 'cancelled', 2: 'pending' });
  });

  it.each([
    ['cancelled again', cancelled('11:00:00.000Z')],
    ['shipped', { status: { S: 'shipped' } }],
  ])('skips an order that was %s after it was read', async (_, changed) => {
    await putOrders(meant);
    meanwhile('UpdateItem', '2', changed);

    const { stdout } = await reopen(`${mistaken} --json`);

    expect(JSON.parse(stdout)).toMatchObject({
      reopened: 3,
      listed: [{ id: 2, outcome: 'changed' }],
    });
    expect((await statuses())[2]).toBe(changed.status.S);
  });

  it.each<[string, Reply]>([
    ['not made', lost],
    ['made, and its response lost', executedAndLost],
  ])('is done, or completes when it is run again, whichever call is %s', async (_, fault) => {
    // Once for a response that is lost, and once for a command that is killed after the call.
    for (const isKilled of [false, true]) {
      for (let failing = 0, calls = Number.POSITIVE_INFINITY; failing < calls; failing++) {
        await putOrders();
        calls = 0;
        let lostOperation = '';
        proxy.reply = (call) => {
          const number = calls++;
          if (number === failing) lostOperation = call.operation;
          const hasFailed = isKilled && number > failing;
          return (number === failing ? fault : hasFailed ? lost : forward)(call);
        };

        const { exitCode, stderr } = await reopen(mistaken);

        proxy.reply = forward;
        if (exitCode !== 0) {
          expect([exitCode, stderr]).toEqual([3, expect.stringContaining('run the command again')]);
          const isUnsure = lostOperation === 'UpdateItem';
          expect(/"\.\/admin orders show -?\d+" shows whether it was/.test(stderr)).toBe(isUnsure);
          expect((await reopen(mistaken)).exitCode).toBe(0);
        }
        expect(await statuses()).toEqual(expected);
      }
    }
  });

  it('ends at Ctrl+C with exit code 5, and prints the option that completes it', async () => {
    await putOrders(
      Object.fromEntries([...Array(60)].map((_, id) => [id, cancelled('09:00:00Z')])),
    );
    const words = '--cancelled-by key_1 --since 2026-11-20T09:00:00Z';
    const controller = new AbortController();
    proxy.reply = (call) => {
      if (call.operation === 'UpdateItem') controller.abort();
      forward(call);
    };

    const interruption = controller.signal;
    const { exitCode, stderr } = await reopen(words, { isTerminal: true, interruption });

    expect(exitCode).toBe(5);
    const message =
      /error: stopped after (\d+) orders: interrupted; run the command again with (.*)\n$/;
    const [, done, until] = message.exec(stderr)!;
    await put({ id: { N: '90' }, ...cancelled('12:00:00.001Z') });
    const again = await reopen(`${words} ${until}`, { now: () => nowMs + 3_600_000 });
    expect(again.stdout).toContain(`Reopened ${60 - Number(done)} orders`);
  });

  it.each([
    ['', 2, 'give either an order id or --cancelled-by and --since'],
    ['7 --cancelled-by key_1', 2, 'give either an order id or --cancelled-by and --since'],
    ['--cancelled-by key_1', 2, 'give either an order id or --cancelled-by and --since'],
    ['--since 2026-11-20T09:00:00Z', 2, 'give either an order id or --cancelled-by and --since'],
    [
      '--cancelled-by key_1 --since yesterday',
      1,
      "'yesterday' is invalid. Expected a duration such as 30s or 90d, a date such as 2026-11-20",
    ],
    [`${mistaken} --as ${keyPrefix}${'a'.repeat(46)}`, 1, '--as: this looks like an API key'],
  ])('refuses %j in one line', async (words, code, message) => {
    await putOrders();

    const { exitCode, stderr } = await reopen(words);

    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
