import { InvalidArgumentError } from 'commander';
import { isDateTime } from '../../../lambdas/orders/date-time.ts';

/** Parses a whole number from 1 to a limit. Commander adds the option to the message of an error. */
export const wholeNumberUpTo = (limit: number) => (text: string) => {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= limit) return value;
  const to = limit === Number.POSITIVE_INFINITY ? '' : ` to ${limit}`;
  throw new InvalidArgumentError(`Expected a whole number from 1${to}.`);
};

export const wholeNumber = wholeNumberUpTo(Number.POSITIVE_INFINITY);

/** Returns a time in milliseconds since the epoch. If an option has a duration, it counts from `nowMs`. */
export type Time = (nowMs: number) => number;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
// A hundred years. A longer duration may not fit into a date.
const maxMs = 36_500 * 86_400_000;

/** Parses a time ahead, given as a date-time or as a duration from now, such as `90d`. */
export const timeAhead = (text: string): Time => relativeTime(text, 1);

/** Parses a time in the past, given as a date-time or as a duration before now. */
export const timeAgo = (text: string): Time => relativeTime(text, -1);

function relativeTime(text: string, direction: 1 | -1): Time {
  if (isDateTime(text)) return () => Date.parse(text);
  const [, count = '-1', unit = 's'] = /^(\d{1,10})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * unitMs[unit]!;
  if (ms >= 0 && ms <= maxMs) return (nowMs) => nowMs + direction * ms;
  const forms = 'a duration such as 30s, 15m, 24h or 90d, or a date-time such as';
  throw new InvalidArgumentError(`Expected ${forms} 2026-11-20T09:30:00Z.`);
}
