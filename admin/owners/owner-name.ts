import { isOwnerId } from '../../shared/api-key-token.ts';
import { InvalidValueError } from '../../shared/errors.ts';
import { checkedText } from '../console/checked-text.ts';

const maxLength = 200;

/** A name that an owner can have. @throws OperatorError when it is none */
export function ownerName(text: string): string {
  const name = checkedText('owner', text, maxLength);
  if (!isOwnerId(name)) return name;
  throw new InvalidValueError('owner', text, 'a name that is not of the form of an owner id');
}

/**
 * The key, in the Owners table, of the item that reserves a name for one owner: names that differ
 * in case only are the same.
 *
 * @throws OperatorError when it can be no owner's name
 */
export function nameReservation(text: string): string {
  return `name#${ownerName(text).toLowerCase().normalize('NFC')}`;
}
