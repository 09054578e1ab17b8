import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { ServiceMetrics } from './service-metrics.ts';

/** A service level objective over 30 days. */
interface Objective {
  readonly id: string;
  /** What the requests have to be that are within the objective. */
  readonly promise: string;
  /** The error budget: the share of requests that may fail. */
  readonly budget: number;
  /** The share of requests that failed, as metric math over `usingMetrics`. */
  readonly failedShare: string;
  readonly usingMetrics: Readonly<Record<string, IMetric>> & { readonly requests: IMetric };
}

/** A burn rate, as a multiple of the rate that uses up the budget in 30 days, that is an alarm. */
interface BurnRate {
  readonly id: string;
  readonly timesBudget: number;
  readonly window: Duration;
}

/** The parameters of an alarm on an error budget that is being used up too fast. */
interface BudgetBurn {
  readonly id: string;
  readonly meaning: string;
  /** The current burn rate. */
  readonly metric: IMetric;
  /** The burn rate above which the alarm is raised. */
  readonly above: number;
}

/** The time within which a cancellation should be answered. */
const cancelWithinMs = 1_000;

/** A rate of 14.4 uses 2 % of the budget of 30 days in an hour; a rate of 6 uses 5 % in six hours. */
const burnRates: readonly BurnRate[] = [
  { id: 'FastBurn', timesBudget: 14.4, window: Duration.hours(1) },
  { id: 'SlowBurn', timesBudget: 6, window: Duration.hours(6) },
];

/**
 * An alarm for every objective and burn rate. docs/adr/0006-alarms-on-what-users-feel.md gives the
 * reasons for the numbers.
 */
export function budgetBurns(metrics: ServiceMetrics): BudgetBurn[] {
  return objectives(metrics).flatMap((objective) =>
    burnRates.map((burnRate) => budgetBurn(objective, burnRate)),
  );
}

function objectives(metrics: ServiceMetrics): Objective[] {
  return [
    {
      id: 'Availability',
      promise: 'requests are not answered 5xx',
      budget: 0.001,
      failedShare: 'errors / requests',
      usingMetrics: { errors: metrics.serverErrors, requests: metrics.requests },
    },
    {
      id: 'CancelLatency',
      promise: `cancellations are answered within ${cancelWithinMs} ms`,
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
  // With fewer requests, a single failure exceeds the budget, so the rate has no meaning.
  const leastRequests = Math.round(1 / budget);
  const percent = Number((100 * (1 - budget)).toFixed(3));
  return {
    id: `${objective.id}${id}`,
    meaning: `Objective: ${percent} % of ${promise}. Its error budget is used up more than ${timesBudget} times too fast over ${window.toHumanString()}.`,
    metric: new MathExpression({
      label: 'times the error budget',
      expression: `IF(requests >= ${leastRequests}, ${failedShare} / ${budget}, 0)`,
      usingMetrics,
      period: window,
    }),
    above: timesBudget,
  };
}
