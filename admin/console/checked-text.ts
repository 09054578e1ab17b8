import { InvalidValueError, OperatorError } from '../../shared/errors.ts';

const tokenLike = /(?:^|[^0-9A-Za-z])so_[0-9A-Za-z]*_/i;
// Control characters, unpaired surrogates, and what separates lines or turns the direction of text.
const unprintable = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/**
 * A name or a label as it may be stored: on one line, without spaces around it, in Unicode's
 * composed form, so that what looks the same is the same.
 *
 * @throws OperatorError when it is none; a text that looks like a token is not repeated
 */
export function checkedText(field: string, text: string, maxLength: number): string {
  refuseToken(field, text);
  const value = text.trim().normalize('NFC');
  if (value !== '' && value.length <= maxLength && !unprintable.test(value)) return value;
  throw new InvalidValueError(
    field,
    text,
    `1 to ${maxLength} characters on one line, without control characters`,
  );
}

/** @throws OperatorError, which does not repeat the text: errors end up in logs */
export function refuseToken(field: string, text: string): void {
  if (!tokenLike.test(text)) return;
  throw new OperatorError(
    `${field}: this looks like an API key ("so_…_"), which belongs on no command line`,
    { remedy: 'if it is one, it has to be replaced ("keys rotate") now' },
  );
}
