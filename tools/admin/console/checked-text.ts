import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { containsKey } from '../../shared/printable.ts';

// Control characters, unpaired surrogates, line separators and marks that change the text's direction.
const unprintable = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Normalizes a name or a label, so that texts that look the same are equal.
 *
 * @param maxLength in UTF-16 code units
 * @throws OperatorError if the text is empty, too long, has several lines, or has control characters. The message
 *   never contains a token
 */
export function checkedText(field: string, text: string, maxLength: number): string {
  refuseToken(field, text);
  const value = text.trim().normalize('NFC');
  if (value !== '' && value.length <= maxLength && !unprintable.test(value)) return value;
  const expected = `1 to ${maxLength} characters on one line, without control characters`;
  throw new InvalidValueError(field, text, expected);
}

/** @throws OperatorError if the text contains an API key. Errors are often logged, so the message omits the text. */
export function refuseToken(field: string, text: string): void {
  if (!containsKey(text)) return;
  throw new OperatorError(
    `${field}: this looks like an API key; never write an API key on a command line`,
    {
      remedy:
        'if it is an API key, "./admin keys whois" reads it from a prompt, and says how to replace it',
    },
  );
}
