import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import { exampleToken } from '../../test/helpers/dynamodb/key-items.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../../test/helpers/functions/events.ts';

/** The calls of one handler in a fresh process. */
export interface Job {
  /** The file of its bundle in the workbench, such as `ours/listOrders.js`. */
  readonly bundle: string;
  readonly event: unknown;
  /** Matches the JSON of what the last call returns. */
  readonly answer: RegExp;
  /**
   * The number of calls before the measured calls. These calls take longer, until V8 has compiled the code. Without such
   * calls, the time for loading the bundle is also measured.
   */
  readonly warmUps: number;
  readonly calls: number;
  /** The pages of the table of orders. */
  readonly pages: number;
  readonly ordersPerPage: number;
}

/** A comparison of one of our functions with a peer. */
export interface Comparison {
  readonly name: string;
  readonly value: 'cpuMs' | 'peakRssMb';
  readonly rounds: number;
  readonly ours: Job;
  /** How the peer's job differs from ours. */
  readonly peer: Partial<Job>;
  /** The maximum of our value divided by the peer's value. */
  readonly maxRatio: number;
  /** The maximum of our value. @default Infinity */
  readonly max?: number;
}

/** These orders take 1 MB, which is DynamoDB's maximum for a page of a `Scan`. */
const ordersPerFullPage = 8_500;
const million = Math.ceil(1_000_000 / ordersPerFullPage);

const list = { event: proxyEvent(), answer: /"statusCode":200/, ordersPerPage: ordersPerFullPage };
const authorizer = {
  event: authorizerEvent(`Bearer ${exampleToken()}`),
  answer: /"Effect":"Allow"/,
};
const firstCall = { warmUps: 0, calls: 1, pages: 1, ordersPerPage: 50 };

const firstCalls: Record<FunctionName, Pick<Job, 'event' | 'answer'>> = {
  authorizer,
  listOrders: { event: list.event, answer: list.answer },
  cancelOrder: { event: cancelEvent('1'), answer: /"statusCode":204/ },
};

/** The comparisons of the benchmark, in their order. */
export const comparisons: readonly Comparison[] = [
  {
    name: 'list vs DocumentClient',
    value: 'cpuMs',
    rounds: 5,
    // There is more than one page, so that the comparison notices a loss of orders between pages.
    ours: { ...list, bundle: 'ours/listOrders.js', warmUps: 4, calls: 4, pages: 16 },
    peer: { bundle: 'peers/documentClient.js' },
    maxRatio: 0.55,
  },
  {
    name: 'two million orders vs one million',
    value: 'peakRssMb',
    rounds: 3,
    ours: { ...list, bundle: 'ours/listOrders.js', warmUps: 0, calls: 1, pages: 2 * million },
    peer: { pages: million },
    maxRatio: 1.1,
    max: 350,
  },
  {
    name: 'authorizer vs rate-limiter-flexible',
    value: 'cpuMs',
    rounds: 3,
    ours: { ...firstCall, ...authorizer, bundle: 'ours/authorizer.js', warmUps: 400, calls: 800 },
    peer: { bundle: 'peers/rateLimiterFlexible.js' },
    maxRatio: 0.33,
  },
  ...functionNames.map(
    (name): Comparison => ({
      name: `${name}, cold, vs default bundle`,
      value: 'cpuMs',
      rounds: 7,
      ours: { ...firstCall, ...firstCalls[name], bundle: `ours/${name}.js` },
      peer: { bundle: `default/${name}.mjs` },
      maxRatio: 0.6,
    }),
  ),
];
