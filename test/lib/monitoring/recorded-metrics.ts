import type { Value } from './metric-math.ts';

/** A metric as CloudWatch stores it. The order of dimensions does not matter. */
export interface MetricIdentity {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
}

/** A period of whole minutes, without its end. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The values of a minute, their sum, and how many of them are at most so large: alarms look at hours of
 * them every minute.
 */
interface RecordedMinute {
  readonly values: number[];
  sum: number;
  readonly counts: Map<number, number>;
}

/** Stores metrics like CloudWatch, by minute, and computes statistics of periods. */
export class RecordedMetrics {
  private readonly series = new Map<string, Map<number, RecordedMinute>>();

  record(metric: MetricIdentity, minute: number, values: readonly number[]): void {
    const key = keyOf(metric);
    const minutes = this.series.get(key) ?? new Map<number, RecordedMinute>();
    const recorded = minutes.get(minute) ?? emptyMinute();
    recorded.counts.clear();
    recorded.values.push(...values);
    recorded.sum += sumOf(values);
    this.series.set(key, minutes.set(minute, recorded));
  }

  /** @throws Error for a statistic that is not supported */
  statistic(metric: MetricIdentity, name: string, { from, to }: Span): Value {
    const minutes = this.series.get(keyOf(metric));
    const recorded: RecordedMinute[] = [];
    for (let minute = from; minute < to; minute++) recorded.push(minutes?.get(minute) ?? nothing);
    const count = sumOf(recorded.map(({ values }) => values.length));
    if (count === 0) return undefined;
    if (name === 'Sum') return sumOf(recorded.map(({ sum }) => sum));
    if (name === 'SampleCount') return count;
    const [, most] = /^PR\(:(\d+)\)$/.exec(name) ?? [];
    if (most) return (100 * sumOf(recorded.map((each) => countOf(each, Number(most))))) / count;
    return percentileOf(
      recorded.flatMap(({ values }) => values),
      name,
    );
  }
}

const emptyMinute = (): RecordedMinute => ({ values: [], sum: 0, counts: new Map() });

const nothing = emptyMinute();

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function keyOf({ Namespace, MetricName, Dimensions }: MetricIdentity): string {
  const dimensions = Dimensions.map(({ Name, Value }) => `${Name}=${Value}`).sort();
  return [Namespace, MetricName, ...dimensions].join('|');
}

/** How many values of a minute are at most so large. */
function countOf({ values, counts }: RecordedMinute, most: number): number {
  const known = counts.get(most);
  if (known !== undefined) return known;
  const count = values.filter((value) => value <= most).length;
  counts.set(most, count);
  return count;
}

function percentileOf(values: number[], name: string): number {
  const [, percentile] = /^p(\d+)$/.exec(name) ?? [];
  if (!percentile) throw new Error(`Unknown statistic: ${name}`);
  const ascending = values.toSorted((left, right) => left - right);
  return ascending[Math.ceil((Number(percentile) / 100) * values.length) - 1]!;
}
