import { describe, expect, it } from '@jest/globals';
import type { Item } from '../../../../lambdas/contract/item.ts';
import { forward, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { type Change, changes } from '../../orders/change-orders.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { orders, proxy, put, stored } = await ordersOfEachTest();
const nowMs = Date.parse('2026-11-20T12:00:00.789Z');
const change = (...words: string[]) => orders([...words, '--as', 'ann'], { now: () => nowMs });

const id = '-9007199254740993';
const since = '2026-11-20T09:31:00Z';
const others = { petId: { N: '7' }, note: { SS: ['x'] } };
const states = {
  pending: { status: { S: 'pending' } },
  shipped: { status: { S: 'shipped' }, shippedAt: { S: since }, shippedBy: { S: 'bob' } },
  cancelled: {
    status: { S: 'cancelled' },
    cancelledAt: { S: since },
    cancelledBy: { S: 'key_1' },
    cancelRequestId: { S: 'c' },
  },
};
const stamps = {
  pending: '',
  shipped: `since ${since} by bob`,
  cancelled: `since ${since} by key_1`,
};
type State = keyof typeof states;

describe('orders ship, cancel and reopen', () => {
  const [seconds, moment] = [{ S: '2026-11-20T12:00:00Z' }, { S: '2026-11-20T12:00:00.789Z' }];
  const ann = { S: 'ann' };
  it.each<[Change, State, Item]>([
    [
      'ship',
      'pending',
      { complete: { BOOL: true }, shipDate: seconds, shippedAt: seconds, shippedBy: ann },
    ],
    ['cancel', 'pending', { cancelledAt: moment, cancelledBy: ann }],
    ['reopen', 'cancelled', { reopenedAt: moment, reopenedBy: ann }],
  ])(
    'R6: %s changes a %s order in one write, which keeps all other attributes',
    async (verb, from, set) => {
      const order = { id: { N: id }, ...others, ...states[from] };
      await put(order);

      const run = await change(verb, id);

      const { to } = changes[verb];
      expect(run).toEqual({ exitCode: 0, stderr: '', stdout: `Order ${id} is ${to}.\n` });
      expect(await stored()).toEqual([{ ...order, ...set, status: { S: to } }]);
      expect(proxy.requests.map(({ operation }) => operation)).toEqual(['UpdateItem']);
    },
  );

  it.each<[Change, State, string, way?: string]>([
    ['ship', 'shipped', 'is already shipped'],
    ['cancel', 'cancelled', 'is already cancelled'],
    ['reopen', 'pending', 'is already pending'],
    ['cancel', 'shipped', 'is shipped', 'no command changes a shipped order'],
    ['reopen', 'shipped', 'is shipped', 'no command changes a shipped order'],
    [
      'ship',
      'cancelled',
      'is cancelled',
      `if its parcel has left, run "./admin orders reopen ${id}", then "./admin orders ship ${id}"`,
    ],
  ])(
    'R6: %s leaves an order that is %s, and says that it %s and who did this, or what to do',
    async (...given) => {
      const [verb, state, text, way] = given;
      const order = { id: { N: id }, ...states[state] };
      await put(order);

      const run = await change(verb, id);

      const line = `Order ${id} ${text} ${stamps[state]}`.trim();
      const refused = { exitCode: 1, stdout: '', stderr: `error: ${line}; ${way}\n` };
      expect(run).toEqual(way ? refused : { exitCode: 0, stdout: `${line}.\n`, stderr: '' });
      expect(await stored()).toEqual([order]);
    },
  );

  it('change several orders, and list each with what happened', async () => {
    await put({ id: { N: '1' }, ...states.pending });
    await put({ id: { N: '2' }, ...states.shipped });
    await put({ id: { N: id }, ...states.cancelled });
    const words = ['ship', '1', '2', id, '4', '1'];
    const alreadyShipped = `Order 2 is already shipped ${stamps.shipped}.`;

    const { exitCode, stdout, stderr } = await change(...words);
    const { stdout: json } = await change(...words, '--json');

    expect([exitCode, stdout.split('\n')]).toEqual([
      1,
      [
        'Order 1 is shipped.',
        alreadyShipped,
        expect.stringMatching(
          `Order ${id} is cancelled ${stamps.cancelled}; if its parcel has left, run`,
        ),
        'No order has the id 4; check the id; GET /store/orders lists all orders',
        '',
      ],
    ]);
    expect(stderr).toBe('error: 2 orders of 4 not shipped: see above\n');
    expect(json).toMatch(
      `"outcome":"unchanged","text":"${alreadyShipped}"},{"id":${id},"outcome":"refused",`,
    );
    expect(json).toMatch(/\{"id":4,"outcome":"refused","text":"No order has the id 4; .*"\}\]/);
  });
});

describe('an order in an unknown state', () => {
  const repair =
    'if its parcel has left, "./admin orders ship 7" marks it as shipped; if not, "./admin orders reopen 7" makes it pending';

  it.each([
    [{ S: 'pending ' }, 'has the unknown status "pending "'],
    [{ S: '' }, 'has the unknown status ""'],
    [undefined, 'has no status'],
    [{ N: '5' }, 'has a status that is not a text'],
  ])('is repaired by ship or reopen, which cancel names: %j', async (status, text) => {
    const item = { id: { N: '7' }, ...(status && { status }) };
    await put(item);

    const { exitCode, stderr } = await change('cancel', '7');
    const reopened = await change('reopen', '7');
    const [pending] = await stored();
    await put(item);
    const shipped = await change('ship', '7');

    expect([exitCode, stderr]).toEqual([1, `error: Order 7 ${text}; ${repair}\n`]);
    expect([reopened.exitCode, pending!.status]).toEqual([0, { S: 'pending' }]);
    expect([shipped.exitCode, (await stored())[0]!.status]).toEqual([0, { S: 'shipped' }]);
  });
});

const cancelledLater = {
  status: { S: 'cancelled' },
  cancelledAt: { S: '2026-11-20T12:00:01.000Z' },
  cancelledBy: { S: 'key_1' },
};

it.each<[Change, State, string, Item]>([
  ['ship', 'pending', 'nothing', {}],
  ['cancel', 'pending', 'nothing', {}],
  ['cancel', 'pending', 'reopened', { status: { S: 'pending' } }],
  ['reopen', 'cancelled', 'nothing', {}],
  ['reopen', 'cancelled', 'cancelled by a client', cancelledLater],
  ['reopen', 'cancelled', 'shipped', states.shipped],
])(
  'R6: %s of a %s order, whose response is lost, is done once, also if the order is then changed: %s',
  async (verb, from, _, later) => {
    await put({ id: { N: '7' }, ...states[from] });
    let before: Item = {};
    proxy.reply = async (call) => {
      if (call.operation !== 'UpdateItem' || before.id) return forward(call);
      await call.execute();
      before = { ...(await stored())[0]!, ...later };
      await put(before);
      lost(call);
    };

    const { exitCode, stdout } = await change(verb, '7');

    expect([exitCode, stdout]).toEqual([0, `Order 7 is ${changes[verb].to}.\n`]);
    expect(await stored()).toEqual([before]);
  },
);

it('only one of several orders ship in the same second says that it has shipped the order', async () => {
  await put({ id: { N: '7' }, ...states.pending });
  const told: string[] = [];
  const ship = async (by: string) => {
    const { stdout } = await orders(['ship', '7', '--as', by], { now: () => nowMs });
    told.push(stdout);
  };
  proxy.next.push(async (call) => {
    await ship('bob');
    await ship('bob');
    lost(call);
  });

  await ship('ann');

  const already = 'Order 7 is already shipped since 2026-11-20T12:00:00Z by bob.\n';
  expect(told).toEqual(['Order 7 is shipped.\n', already, already]);
});
