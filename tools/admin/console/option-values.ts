import { InvalidArgumentError, Option } from 'commander';

/** Parses a whole number from 1 to a limit. Commander adds the option to the message of an error. */
export const wholeNumberUpTo = (limit: number) => (text: string) => {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= limit) return value;
  const to = limit === Number.POSITIVE_INFINITY ? '' : ` to ${limit}`;
  throw new InvalidArgumentError(`Expected a whole number from 1${to}.`);
};

export const wholeNumber = wholeNumberUpTo(Number.POSITIVE_INFINITY);

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
// A hundred years. A longer duration is probably a typing error, and may not fit into a date.
const maxSeconds = 36_500 * 86_400;

/**
 * An option whose value is a duration such as `30s`, `15m`, `24h` or `90d`, parsed into seconds.
 *
 * @param leastSeconds the shortest accepted duration
 */
export function durationOption(flags: string, description: string, leastSeconds = 0): Option {
  return new Option(flags, description).argParser((text) => {
    const [, count = '-1', unit = 's'] = /^(\d{1,10})([smhd])$/.exec(text) ?? [];
    const seconds = Number(count) * unitSeconds[unit]!;
    if (seconds >= leastSeconds && seconds <= maxSeconds) return seconds;
    const least = leastSeconds > 0 ? ' of at least a second,' : '';
    throw new InvalidArgumentError(`Expected a duration${least} such as 30s, 15m, 24h or 90d.`);
  });
}
