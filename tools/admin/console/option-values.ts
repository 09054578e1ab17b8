import { InvalidArgumentError } from 'commander';
import { isDateTime } from '../../../lambdas/orders/order-fields.ts';
import { InvalidValueError } from '../../shared/errors.ts';
import { isoTime } from '../store/history.ts';

/** Parses a whole number above 0. Commander adds the name of the option to the message of an error. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 1.');
}

/** Returns a time in milliseconds since the epoch. A duration counts from `nowMs`. */
export type Time = (nowMs: number) => number;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a time in the future: a date-time, a duration such as `90d`, or a date, which stands for the end of that day
 * in UTC.
 */
export const timeAhead = (text: string): Time => timeOf(text, 1, 'T23:59:59.999Z');

/** Parses the beginning of a period in the past. A date stands for the beginning of that day in UTC. */
export const sinceTime = (text: string): Time => timeOf(text, -1, 'T00:00:00Z');

/** Parses the end of a period in the past. A date stands for the end of that day in UTC. */
export const untilTime = (text: string): Time => timeOf(text, -1, 'T23:59:59.999Z');

function timeOf(text: string, direction: 1 | -1, timeOfDay: string): Time {
  const dateTime = [text, text + timeOfDay].find(isDateTime);
  if (dateTime !== undefined) return () => Date.parse(dateTime);
  // Six digits always fit into a date.
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count) return (nowMs) => nowMs + direction * Number(count) * unitMs[unit]!;
  const forms = 'a duration such as 30s or 90d, a date such as 2026-11-20, or a date-time such as';
  throw new InvalidArgumentError(`Expected ${forms} 2026-11-20T09:30:00Z.`);
}

/** Converts a time into Unix seconds. @throws InvalidValueError if it is not in the future */
export function futureSeconds(field: string, time: Time, nowMs: number): number {
  const seconds = Math.floor(time(nowMs) / 1_000);
  if (seconds * 1_000 > nowMs) return seconds;
  throw new InvalidValueError(field, isoTime(seconds), 'a time ahead');
}
