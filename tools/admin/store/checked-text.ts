import { InvalidValueError } from '../../shared/errors.ts';
import { containsKey } from '../../shared/printable.ts';
import { StoreError } from './errors.ts';

// Control characters, unpaired surrogates, and characters that nobody sees, such as U+200B.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Normalizes a name or a label, so that texts that look the same are equal: the characters are composed, and all white
 * space between two words is one space.
 *
 * @param maxLength in UTF-16 code units
 * @throws OperatorError if the text is empty or too long, or has characters that nobody sees. The message never contains
 *   a token
 */
export function checkedText(field: string, text: string, maxLength: number): string {
  refuseToken(field, text);
  const value = text
    .normalize('NFC')
    .trim()
    .replaceAll(/[^\S\ufeff]+/g, ' ');
  if (value !== '' && value.length <= maxLength && !unseen.test(value)) return value;
  const expected = `1 to ${maxLength} characters, without characters that nobody sees`;
  throw new InvalidValueError(field, text, expected);
}

/** @throws StoreError if the text contains an API key */
export function refuseToken(field: string, text: string): void {
  if (!containsKey(text)) return;
  const problem = `${field}: this looks like an API key; never write an API key on a command line`;
  throw new StoreError('tokenGiven', problem, undefined);
}
