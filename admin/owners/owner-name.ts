import { isOwnerId } from '../../shared/api-key-token.ts';
import { InvalidValueError } from '../../shared/errors.ts';
import { checkedText } from '../console/checked-text.ts';

const maxLength = 200;

/** Normalizes an owner's name. @throws OperatorError when it is not accepted */
export function ownerName(text: string): string {
  const name = checkedText('owner', text, maxLength);
  if (!isOwnerId(name)) return name;
  throw new InvalidValueError('owner', text, 'a name that is not of the form of an owner id');
}

/**
 * The key of the item in the Owners table that reserves a name for one owner. Names that differ only
 * in case have the same key.
 *
 * @throws OperatorError when the name is not accepted
 */
export function nameReservation(text: string): string {
  return `name#${ownerName(text).toLowerCase().normalize('NFC')}`;
}
