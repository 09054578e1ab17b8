import { InvalidValueError } from '../../shared/errors.ts';
import { checkedText } from '../store/checked-text.ts';
import type { CommandIo } from './command-io.ts';

/**
 * The operator's name: the value of `--as`. Without `--as`, it is the AWS identity without its
 * account, such as `user/ann`. On a local run, it is the name of this machine's user.
 *
 * @param callerArn such as arn:aws:sts::111122223333:assumed-role/Operator/ann; undefined on a local run
 * @throws OperatorError if the name is not one line of text, or looks like a key id
 */
export function operatorName(
  as: string | undefined,
  { USER, USERNAME }: CommandIo['environment'],
  callerArn: string | undefined,
): string {
  if (as !== undefined) {
    const name = checkedText('--as', as, 128);
    if (!/^key_/i.test(name)) return name;
    // An operator's cancellation would look like a customer's.
    throw new InvalidValueError('--as', name, 'your name, not a key id');
  }
  if (callerArn === undefined) return USER || USERNAME || 'local';
  return callerArn.split(':').slice(5).join(':');
}
