import { type Random, randomFrom } from '../random.ts';
import { type FaultKind, faultKinds } from './fault-kinds.ts';
import type { Mixture } from './faulty-dynamodb.ts';

/** What happens in a run: a client's request, or what an operator does meanwhile. */
export type Action =
  | { readonly type: 'list'; readonly isGzip: boolean }
  | { readonly type: 'cancel'; readonly orderId: string }
  | {
      readonly type: 'bad-key';
      readonly orderId: string | undefined;
      readonly authorization: string;
    }
  | { readonly type: 'ship'; readonly orderId: string }
  | { readonly type: 'place'; readonly orderId: string };

/** All that a seed decides. */
export interface SeedPlan {
  readonly mixture: Mixture;
  readonly perMinute: number;
  /** Actions of one wave happen at the same time, the waves one after the other. */
  readonly waves: readonly (readonly Action[])[];
}

/** The orders that are there when a run begins, with their status. */
export const knownOrders: Readonly<Record<string, string>> = {
  1: 'pending',
  2: 'pending',
  3: 'pending',
  '9007199254740993': 'pending',
  '-5': 'pending',
  6: 'shipped',
  7: 'cancelled',
  8: 'returned',
};

/** Kept for the end of a run, when there are no faults any more. */
export const lastOrder = '9223372036854775807';

const rates = [0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1];
const limits = [3, 6, 10, 1_000];
const strangers = ['404', '007', '9223372036854775808'];
const badKeys = ['', 'Bearer wrong', 'Basic c286dGVzdA==', `Bearer so_test_${'a'.repeat(46)}`];

/** What happens in the run of a seed. */
export function planOf(seed: number): SeedPlan {
  const random = randomFrom(seed, 'plan');
  let placed = 100;
  const orderIds = [...Object.keys(knownOrders), ...strangers];
  const actions: [weight: number, make: () => Action][] = [
    [3, () => ({ type: 'list', isGzip: random.chance(0.5) })],
    [6, () => ({ type: 'cancel', orderId: random.pick(orderIds) })],
    [
      1,
      () => ({
        type: 'bad-key',
        orderId: random.pick([undefined, '1']),
        authorization: random.pick(badKeys),
      }),
    ],
    [1, () => ({ type: 'ship', orderId: random.pick(Object.keys(knownOrders)) })],
    [1, () => ({ type: 'place', orderId: String(placed++) })],
  ];
  const wheel = actions.flatMap(([weight, make]) => Array(weight).fill(make) as (() => Action)[]);
  const wave = () => Array.from({ length: random.integer(1, 7) }, () => random.pick(wheel)());
  return {
    mixture: mixtureOf(seed, random),
    perMinute: random.pick(limits),
    waves: Array.from({ length: random.integer(2, 5) }, wave),
  };
}

/** One kind of fault alone, some of them, or all. */
function mixtureOf(seed: number, random: Random): Mixture {
  const some = faultKinds.filter(() => random.chance(0.4));
  const kinds: FaultKind[] = random.pick([[random.pick(faultKinds)], some, faultKinds]);
  return {
    seed,
    rate: random.pick(rates),
    kinds: kinds.length > 0 ? kinds : faultKinds,
    ordersPerPage: random.pick([1, 2, 3, 5, 1_000]),
  };
}
