import { type Random, randomFrom } from '../random.ts';
import { type FaultKind, faultKinds } from './fault-kinds.ts';
import type { Mixture } from './faulty-dynamodb.ts';

/** An action in a run: a client's request, or a change that an operator makes. */
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

/** Everything that a seed determines. */
export interface SeedPlan {
  readonly mixture: Mixture;
  readonly perMinute: number;
  /** The waves run one after the other. The actions of one wave run at the same time. */
  readonly waves: readonly (readonly Action[])[];
}

/** The orders at the start of a run, with their status. */
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

/** The order that is used at the end of a run, when there are no faults any more. */
export const lastOrder = '9223372036854775807';

const rates = [0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1];
const limits = [3, 6, 10, 1_000];
const strangers = ['404', '007', '9223372036854775808'];
const badKeys = ['', 'Bearer wrong', 'Basic c286dGVzdA==', `Bearer so_test_${'a'.repeat(46)}`];

/** Generates the plan of a seed. */
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

/** Chooses one kind of fault, some kinds, or all. */
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
