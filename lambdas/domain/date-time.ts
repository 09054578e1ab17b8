/*
 * Date-times as RFC 3339, section 5.6, defines them, which is the meaning of `date-time` in OpenAPI:
 *
 *   2026-11-20T09:30:00Z    2026-11-20T09:30:00.123456789+05:30
 *
 * The year must be at least 1, where Python's `datetime` begins, a fraction have at most nine digits, and an
 * offset be less than 18 hours, where Java's types end: with one date that it cannot read, a generated client
 * fails for the whole list.
 *
 * The functions read bytes, because the list checks a million dates that it never makes strings of.
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

/** What `twoDigits` returns if there are none: more than any number of a date-time, even of a year. */
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
  if (!isHourAndMinute(text, start + 11, 24) || text[start + 16] !== colon) return noDateTime;
  if (twoDigits(text, start + 17) > 59) return noDateTime;
  let at = start + 19;
  if (text[at] === point) {
    const first = ++at;
    while (text[at]! >= zero && text[at]! <= nine) at++;
    if (at === first || at > first + 9) return noDateTime;
  }
  if (text[at] === utc) return at + 1;
  const hasOffset = text[at] === plus || text[at] === hyphen;
  return hasOffset && isHourAndMinute(text, at + 1, 18) ? at + 6 : noDateTime;
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

function isHourAndMinute(text: Buffer, start: number, hours: number): boolean {
  if (text[start + 2] !== colon) return false;
  return twoDigits(text, start) < hours && twoDigits(text, start + 3) < 60;
}

function twoDigits(text: Buffer, at: number): number {
  const tens = text[at]! - zero;
  const ones = text[at + 1]! - zero;
  const areDigits = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  return areDigits ? 10 * tens + ones : noNumber;
}
