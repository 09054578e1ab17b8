import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  answer,
  executedAndLost,
  forward,
  lost,
  type Reply,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import type { AdminOptions } from '../run-admin.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { orders, proxy, put, stored } = await ordersOfEachTest();
const nowMs = Date.parse('2026-11-20T12:00:00Z');
const ownerPart = 'OZdPcLLZJvux4LZgjIZh';
const keyId = `key_${ownerPart}boDXYTUkQcS0`;
const otherKey = `key_${ownerPart}000000000000`;

const reopen = (words: string, io: AdminOptions = {}) =>
  orders(['reopen', ...words.split(' ').filter(Boolean), '--yes'], {
    now: () => nowMs,
    ...io,
  });
const period = '--since 2026-11-20T09:00:00Z --until 2026-11-20T10:59:00Z';
const mistaken = `--cancelled-by ${keyId} ${period}`;
const which = `that ${keyId} cancelled from 2026-11-20T09:00:00.000Z to 2026-11-20T10:59:00.000Z`;

const cancelled = (cancelledAt: string, cancelledBy = keyId, more: object = {}) => ({
  status: { S: 'cancelled' },
  cancelledAt: { S: `2026-11-20T${cancelledAt}` },
  cancelledBy: { S: cancelledBy },
  cancelRequestId: { S: `${cancelledBy} ${cancelledAt}` },
  ...more,
});

/** The orders that the command has to reopen, by their ids, and orders that it must not change. */
const meant: Record<string, Record<string, AttributeValue>> = {
  1: cancelled('09:00:00.000Z'),
  2: cancelled('09:59:59.999Z'),
  '-3': cancelled('10:00:00.000Z'),
  '9007199254740993': cancelled('10:59:00.000Z', keyId, { petId: { N: '7' } }),
};
const others: typeof meant = {
  11: cancelled('08:59:59.999Z'),
  12: cancelled('10:59:00.001Z'),
  13: cancelled('09:30:00.000Z', otherKey),
  14: { ...cancelled('09:30:00.000Z'), status: { S: 'shipped' } },
  15: { status: { S: 'cancelled' }, cancelledBy: { S: keyId } },
  16: cancelled('09:30:00.000Z', 'bob'),
};

async function putOrders(orders = { ...meant, ...others }) {
  for (const [id, order] of Object.entries(orders)) await put({ id: { N: id }, ...order });
}

/** The ids of the orders that are pending, sorted. */
const pending = async () =>
  (await stored()).flatMap(({ id, status }) => (status?.S === 'pending' ? id!.N! : [])).sort();
const meantIds = Object.keys(meant).sort();

describe('orders reopen --cancelled-by', () => {
  it('reopens the orders that one key cancelled in a period, and stores who cancelled and who reopened them, and when', async () => {
    await putOrders();

    const run = await reopen(mistaken);

    expect(run).toMatchObject({ exitCode: 0, stdout: `Reopened 4 orders ${which}.\n` });
    expect(await pending()).toEqual(meantIds);
    expect(await stored()).toContainEqual({
      ...meant['9007199254740993'],
      id: { N: '9007199254740993' },
      status: { S: 'pending' },
      reopenedAt: { S: '2026-11-20T12:00:00.000Z' },
      reopenedBy: { S: 'user/ann' },
    });
  });

  it.each([
    [`own_${ownerPart}`, [...meantIds, '13'].sort()],
    ['bob', ['16']],
  ])(
    'reopens the orders that any key of an owner, or an operator, has cancelled: %s',
    async (who, ids) => {
      await putOrders();

      const { exitCode } = await reopen(`--cancelled-by ${who} ${period}`);

      expect([exitCode, await pending()]).toEqual([0, ids]);
    },
  );

  it('asks for confirmation with the number of orders', async () => {
    await putOrders();
    const before = await stored();

    const asked = await orders(['reopen', ...mistaken.split(' ')], { isTerminal: true });

    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(`: reopen 4 orders ${which}? [y/N]`);
    expect(await stored()).toEqual(before);
  });

  it('says with exit code 4 that no order matches', async () => {
    await putOrders(others);

    expect(await reopen(mistaken)).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: `error: there is no cancelled order ${which}\n`,
    });
  });

  it('ends the period at the start of the command', async () => {
    await putOrders({ 1: cancelled('09:00:00.000Z'), 2: cancelled('12:00:00.001Z') });

    const { stdout } = await reopen(`--cancelled-by ${keyId} --since 2026-11-20 --json`);

    expect(stdout).toBe('{"reopened":1,"changed":[]}\n');
    expect(await pending()).toEqual(['1']);
  });

  it.each([
    ['cancelled again', cancelled('11:00:00.000Z')],
    ['cancelled by another', cancelled('09:59:59.999Z', otherKey)],
    ['shipped', { ...cancelled('09:59:59.999Z'), status: { S: 'shipped' } }],
  ])('leaves and names an order that was %s after it was read', async (_, changed) => {
    await putOrders(meant);
    proxy.reply = async (call) => {
      const { operation, input } = call;
      const isMeant =
        operation === 'UpdateItem' && isDeepStrictEqual(input.Key, { id: { N: '2' } });
      if (isMeant) await put({ id: { N: '2' }, ...changed });
      forward(call);
    };

    const { exitCode, stdout, stderr } = await reopen(`${mistaken} --json`);

    expect([exitCode, stdout]).toEqual([4, '{"reopened":3,"changed":[2]}\n']);
    expect(stderr).toContain('1 order changed by somebody else at the same time: 2');
    expect(await pending()).not.toContain('2');
  });

  it.each<[string, Reply]>([
    ['not made', lost],
    ['made, and its response lost', executedAndLost],
    ['answered by a broken proxy', answer({})],
  ])('is done, or completes when it is run again, whichever call is %s', async (_, fault) => {
    // Once for a response that is lost, and once for a command that is killed after the call.
    for (const isKilled of [false, true]) {
      // The table is read, and then each order is changed.
      for (let failing = 0; failing <= meantIds.length; failing++) {
        await putOrders({ ...meant, 13: others[13]! });
        let calls = 0;
        proxy.reply = (call) => {
          const number = calls++;
          const hasFailed = isKilled && number > failing;
          return (number === failing ? fault : hasFailed ? lost : forward)(call);
        };

        const { exitCode, stderr } = await reopen(mistaken);

        proxy.reply = forward;
        if (exitCode !== 0) {
          expect([exitCode, stderr]).toEqual([3, expect.stringContaining('run the command again')]);
          expect([0, 4]).toContain((await reopen(mistaken)).exitCode);
        }
        expect(await pending()).toEqual(meantIds);
      }
    }
  });

  it('ends at Ctrl+C with exit code 5, and prints the options that complete it', async () => {
    const forty = [...Array(40)].map((_, id) => [id, cancelled('09:00:00Z')]);
    await putOrders(Object.fromEntries(forty));
    const words = `--cancelled-by ${keyId}`;
    const controller = new AbortController();
    proxy.reply = (call) => {
      if (call.operation === 'UpdateItem') controller.abort();
      forward(call);
    };

    const interruption = controller.signal;
    const { exitCode, stderr } = await reopen(`${words} --since 4h`, { interruption });

    expect(exitCode).toBe(5);
    const [, options] = /^error: order \d+: interrupted; run the command again with (.*)\n$/.exec(
      stderr,
    )!;
    await proxy.isAtRest();
    const done = await pending();
    await put({ id: { N: '90' }, ...cancelled('12:00:00.001Z') });
    const again = await reopen(`${words} ${options}`, { now: () => nowMs + 7_200_000 });
    expect(again.stdout).toContain(`Reopened ${40 - done.length} orders`);
  });

  const usage = 'give either order ids or --cancelled-by and --since';
  it.each([
    ['', 2, usage],
    [`7 ${mistaken}`, 2, usage],
    ['--cancelled-by key_1', 2, usage],
    ['--since 2026-11-20T09:00:00Z', 2, usage],
    [`--cancelled-by ${keyPrefix}${'a'.repeat(46)} ${period}`, 1, 'this looks like an API key'],
    [`${mistaken} --as ${keyId}`, 1, 'expected your name, not a key id'],
    [`${mistaken} --since yesterday`, 1, "'yesterday' is invalid. Expected a duration such as"],
    ['--cancelled-by key_bad --since 1h', 1, 'key id: "key_bad" is not accepted'],
    ['--cancelled-by ann --since 1h --until 2h', 1, '--since: "2026-11-20T11:00:00.000Z" is not'],
    ['--cancelled-by ann --since 2026-12-01', 1, '--since: "2026-12-01T00:00:00.000Z" is not'],
  ])('refuses %j in one line', async (words, code, message) => {
    await putOrders();

    const { exitCode, stderr } = await reopen(words);

    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(stderr).toMatch(/^error: .*\n$/);
  });
});
