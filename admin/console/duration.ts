import { InvalidValueError } from '../../shared/errors.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
// A hundred years. A longer duration is probably a typing error and may not fit into a date.
const maxSeconds = 36_500 * 86_400;

/**
 * Parses a duration such as `30s`, `15m`, `24h` or `90d`. Returns seconds.
 *
 * @throws InvalidValueError when it has another form or is too long
 */
export function parseDuration(field: string, text: string): number {
  const [, count, unit] = /^(\d{1,10})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  if (seconds <= maxSeconds) return seconds;
  throw new InvalidValueError(field, text, 'a duration such as 30s, 15m, 24h or 90d');
}
