import { describe, expect, it } from '@jest/globals';
import { cancellationFields } from '../../../../lambdas/orders/order-fields.ts';
import { executedAndLost, forward } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { transitions } from '../../orders/change-order.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, meanwhile, orders, proxy, put, stored } = await ordersOfEachTest();

const yesOf = (verb: string) => (verb === 'reopen' ? ['--yes'] : []);

describe('orders show, ship, cancel and reopen', () => {
  const states = {
    pending: '{"id":-9007199254740993,"petId":7,"status":"pending"}',
    shipped: '{"id":-9007199254740993,"status":"shipped","shippedAt":"2026-11-20T09:31:00Z"}',
    cancelled:
      '{"id":-9007199254740993,"petId":7,"status":"cancelled","cancelledAt":"2026-11-20T09:31:00Z",' +
      '"cancelledBy":"key_1","cancelRequestId":"c"}',
  };
  type Refusal = { verb: keyof typeof transitions; state: keyof typeof states };
  const id = '-9007199254740993';
  const shown = async () => (await orders(['show', id])).stdout;

  it('refuses an id that is unknown or malformed', async () => {
    for (const verb of ['show', 'ship', 'cancel', 'reopen']) {
      expect((await orders([verb, '1'])).stderr).toBe('error: No order has the id 1\n');
      expect((await orders([verb, '01'])).stderr).toMatch(
        /^error: order id: "01" is not accepted; expected a number such as 1001, without leading zer/,
      );
    }
  });

  it.each([
    [
      'ship',
      'pending',
      'shipped',
      /^\{"id":-9007199254740993,"petId":7,"shipDate":"\d{4}-[^".]+Z","complete":true,"status":"shipped","shippedAt":"\d{4}-[^".]+Z","shippedBy":"ann"\}$/,
    ],
    [
      'cancel',
      'pending',
      'cancelled',
      /^\{"id":-9007199254740993,"petId":7,"status":"cancelled","cancelledAt":"\d{4}-[^"]+","cancelledBy":"ann"\}$/,
    ],
    [
      'reopen',
      'cancelled',
      'pending',
      /^\{"id":-9007199254740993,"petId":7,"status":"pending","cancelledAt":"2026-11-20T09:31:00Z","cancelledBy":"key_1","cancelRequestId":"c","reopenedAt":"\d{4}-[^"]+","reopenedBy":"ann"\}$/,
    ],
  ] as const)(
    'R6: %s makes a %s order %s, and prints it as it was',
    async (verb, from, to, after) => {
      await orders(['import', file(states[from])]);

      const { stdout } = await orders([verb, id, '--as', 'ann', ...yesOf(verb)]);

      expect(stdout).toMatch(`Order ${id} is ${to}. Before:\n${states[from]}\n`);
      expect((await shown()).trimEnd()).toMatch(after);
    },
  );

  it('cancel sets every field of a cancellation but the request id of a client, and prints JSON', async () => {
    await orders(['import', file(states.pending)]);

    const { stdout } = await orders(['cancel', id, '--json']);

    expect(stdout).toBe((await shown()).replace('}\n', `,"before":${states.pending}}\n`));
    const [order] = await stored();
    const { cancelRequestId, ...others } = cancellationFields;
    expect(Object.keys(order!).sort()).toEqual(
      ['id', 'petId', 'status', ...Object.keys(others)].sort(),
    );
  });

  const refusals = Object.keys(transitions).flatMap((verb) =>
    Object.keys(states).map((state) => ({ verb, state }) as Refusal),
  );
  it.each(refusals.filter(({ verb, state }) => transitions[verb].from !== state))(
    'R6: $verb refuses an order that is $state',
    async ({ verb, state }) => {
      await orders(['import', file(states[state])]);

      const { exitCode, stderr } = await orders([verb, id, ...yesOf(verb)]);

      const since = state === 'pending' ? '' : ' since 2026-11-20T09:31:00Z';
      const { from, done } = transitions[verb];
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: `error: Order ${id} is ${state}${since}: only a ${from} order can be ${done}\n`,
      });
      expect(await shown()).toBe(`${states[state]}\n`);
    },
  );
});

const seven = { id: { N: '7' }, status: { S: 'pending' } };

it.each([
  [
    { cancelledBy: { S: 'ann' } },
    'was changed by somebody else at the same time; run the command again',
  ],
  [{ status: { S: 'shipped' } }, 'is shipped: only a pending order can be shipped'],
])('orders ship leaves an order that has got %j since it was read', async (change, text) => {
  await put(seven);
  meanwhile('UpdateItem', '7', { ...seven, ...change });

  const { exitCode, stderr } = await orders(['ship', '7']);

  expect([exitCode, stderr]).toEqual([1, `error: Order 7 ${text}\n`]);
  expect(await stored()).toEqual([{ ...seven, ...change }]);
});

it('orders ship names the command that shows the order if the response is lost', async () => {
  await put(seven);
  proxy.reply = (call) => (call.operation === 'UpdateItem' ? executedAndLost : forward)(call);

  const { exitCode, stdout, stderr } = await orders(['ship', '7']);

  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toContain('DynamoDB UpdateItem may or may not have been done');
  expect(stderr).toContain('"./admin orders show 7" shows whether');
  expect(proxy.requests.filter(({ operation }) => operation === 'UpdateItem')).toHaveLength(1);
});

it('orders show prints a field on each line of a terminal, and JSON into a pipe', async () => {
  const note = { L: [{ S: 'x' }] };
  await put({
    ...seven,
    shipDate: { S: '2026-11-20T09:30:00Z' },
    shippedBy: { S: 'a\n"b"' },
    note,
  });

  const shown = await orders(['show', '7'], { isTerminal: true });
  const piped = await orders(['show', '7']);
  const json = await orders(['show', '7', '--json'], { isTerminal: true });

  expect(shown.stdout).toBe(
    'id         7\nshipDate   2026-11-20T09:30:00Z\nstatus     pending\n' +
      'shippedBy  a\\n\\"b\\"\nnote       {"L":[{"S":"x"}]}\n',
  );
  expect(piped.stdout).toBe(
    '{"id":7,"shipDate":"2026-11-20T09:30:00Z","status":"pending",' +
      '"shippedBy":"a\\n\\"b\\"","note":{"L":[{"S":"x"}]}}\n',
  );
  expect(json.stdout).toBe(piped.stdout);
});
