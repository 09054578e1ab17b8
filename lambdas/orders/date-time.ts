/*
 * Date-times as RFC 3339, section 5.6, defines them, which is the meaning of `date-time` in OpenAPI:
 *
 *   2026-11-20T09:30:00Z    2026-11-20T09:30:00.123456789+05:30
 *
 * A fraction has at most nine digits, as in Java. An offset is at most 14 hours, and the time in UTC is within
 * the years 1 to 9999, because .NET's `DateTimeOffset` has the same bounds. If a generated client cannot read one
 * date, it fails for the whole list.
 *
 * The functions read bytes, because the list checks a million dates without making strings of them.
 */

const zero = '0'.charCodeAt(0);
const nine = '9'.charCodeAt(0);
const hyphen = '-'.charCodeAt(0);
const plus = '+'.charCodeAt(0);
const colon = ':'.charCodeAt(0);
const point = '.'.charCodeAt(0);
const separatorT = 'T'.charCodeAt(0);
const utc = 'Z'.charCodeAt(0);

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const minutesOfDay = 24 * 60;
const maxOffsetMinutes = 14 * 60;

/** Stands for an absent number. It is larger than every year. */
const noNumber = 10_000;
const noDateTime = -1;

/** Whether a value is a date-time with a time zone, of a day that exists. */
export function isDateTime(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value);
  return endOfDateTime(bytes, 0) === bytes.length;
}

/** The position after the date-time that begins at a position of a text; -1 if none begins there. */
export function endOfDateTime(text: Buffer, start: number): number {
  if (!isDate(text, start) || text[start + 10] !== separatorT) return noDateTime;
  const minutes = minutesAt(text, start + 11);
  if (minutes >= minutesOfDay || text[start + 16] !== colon) return noDateTime;
  if (twoDigits(text, start + 17) > 59) return noDateTime;
  let at = start + 19;
  if (text[at] === point) {
    const first = ++at;
    while (text[at]! >= zero && text[at]! <= nine) at++;
    if (at === first || at > first + 9) return noDateTime;
  }
  if (text[at] === utc) return at + 1;
  const offset = minutesAt(text, at + 1);
  if (offset > maxOffsetMinutes) return noDateTime;
  const isDay = (date: string) => text.toString('latin1', start, start + 10) === date;
  const isInYears =
    (text[at] === plus && (minutes >= offset || !isDay('0001-01-01'))) ||
    (text[at] === hyphen && (minutes + offset < minutesOfDay || !isDay('9999-12-31')));
  return isInYears ? at + 6 : noDateTime;
}

function isDate(text: Buffer, start: number): boolean {
  if (text[start + 4] !== hyphen || text[start + 7] !== hyphen) return false;
  const year = 100 * twoDigits(text, start) + twoDigits(text, start + 2);
  const month = twoDigits(text, start + 5);
  const day = twoDigits(text, start + 8);
  if (year < 1 || year >= noNumber || month < 1 || month > 12) return false;
  if (day < 1 || day > daysOfMonth[month - 1]!) return false;
  return month !== 2 || day < 29 || year % (year % 100 === 0 ? 400 : 4) === 0;
}

/** The minutes in a time or an offset such as `09:30`. */
function minutesAt(text: Buffer, start: number): number {
  const minute = twoDigits(text, start + 3);
  if (text[start + 2] !== colon || minute > 59) return noNumber;
  return 60 * twoDigits(text, start) + minute;
}

function twoDigits(text: Buffer, at: number): number {
  const tens = text[at]! - zero;
  const ones = text[at + 1]! - zero;
  const areDigits = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  return areDigits ? 10 * tens + ones : noNumber;
}
