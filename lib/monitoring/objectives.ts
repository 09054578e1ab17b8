import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { ServiceMetrics } from './service-metrics.ts';

/** What the service promises over 30 days, and how its failures are measured. */
interface Objective {
  readonly id: string;
  readonly promise: string;
  /** The share of requests that may fail. */
  readonly budget: number;
  /** The share that failed, as metric maths over `usingMetrics`. */
  readonly failedShare: string;
  readonly usingMetrics: Readonly<Record<string, IMetric>> & { readonly requests: IMetric };
}

/** How many times too fast a budget is used up, over a window, before somebody is told. */
interface BurnRate {
  readonly id: string;
  readonly timesBudget: number;
  readonly window: Duration;
}

/** An objective's budget that is used up too fast, as an alarm needs it. */
export interface BudgetBurn {
  readonly id: string;
  readonly meaning: string;
  /** How many times faster than planned the budget is being used up. */
  readonly metric: IMetric;
  readonly above: number;
}

/** How long a cancellation may take. */
const cancelWithinMs = 1_000;

/** At 14.4, an hour takes 2 % of the budget of 30 days; at 6, six hours take 5 %. */
const burnRates: readonly BurnRate[] = [
  { id: 'FastBurn', timesBudget: 14.4, window: Duration.hours(1) },
  { id: 'SlowBurn', timesBudget: 6, window: Duration.hours(6) },
];

/** Every objective with every burn rate. ADR 6 says why it is these numbers. */
export function budgetBurns(metrics: ServiceMetrics): BudgetBurn[] {
  return objectives(metrics).flatMap((objective) =>
    burnRates.map((burnRate) => budgetBurn(objective, burnRate)),
  );
}

function objectives(metrics: ServiceMetrics): Objective[] {
  return [
    {
      id: 'Availability',
      promise: '99.9 % of requests are not answered 5xx',
      budget: 0.001,
      failedShare: 'errors / requests',
      usingMetrics: { errors: metrics.serverErrors, requests: metrics.requests },
    },
    {
      id: 'CancelLatency',
      promise: '99 % of cancellations are answered within a second',
      budget: 0.01,
      failedShare: '(100 - percentWithin) / 100',
      usingMetrics: {
        percentWithin: metrics.cancelLatency(Stats.percentileRank(cancelWithinMs)),
        requests: metrics.cancelLatency(Stats.SAMPLE_COUNT),
      },
    },
  ];
}

function budgetBurn(objective: Objective, { id, timesBudget, window }: BurnRate): BudgetBurn {
  const { promise, budget, failedShare, usingMetrics } = objective;
  // Below this, one failure is more than the budget: the promise says nothing about so few.
  const leastRequests = Math.round(1 / budget);
  return {
    id: `${objective.id}${id}`,
    meaning: `Objective: ${promise}. Its error budget is used up more than ${timesBudget} times too fast over ${window.toHumanString()}.`,
    metric: new MathExpression({
      label: 'times the error budget',
      expression: `IF(requests >= ${leastRequests}, ${failedShare} / ${budget}, 0)`,
      usingMetrics,
      period: window,
    }),
    above: timesBudget,
  };
}
