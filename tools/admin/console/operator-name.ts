import { Option } from 'commander';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { withCallLimits } from '../stage/call-limits.ts';
import { failureText } from '../stage/service-failure.ts';
import type { ClientSettings } from '../stage/stage-connection.ts';
import type { Target } from '../stage/target.ts';
import { checkedText } from './checked-text.ts';
import type { CommandIo } from './command-io.ts';

/** The option for the operator's name. */
export const asOption = new Option(
  '--as <name>',
  'the name that is stored with the change (default: your AWS user or role)',
);

const unknown = '--as is missing, and AWS does not say who you are';

/**
 * Finds the operator's name. This is the value of `--as`. Without `--as`, it is the AWS identity without its account,
 * such as `user/ann`, or on a local run the name of this machine's user.
 *
 * @throws OperatorError if the name is not one line of text, or looks like a key id
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html Every identity may call it.
 */
export async function operatorName(
  { as, ...target }: Target & { as?: string },
  { USER, USERNAME }: CommandIo['environment'],
  settings: ClientSettings,
): Promise<string> {
  if (as !== undefined) return ownName(as);
  if (target.local !== undefined) return USER || USERNAME || 'local';
  // Loaded here, because few commands need this module.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = withCallLimits(new STSClient(settings));
  const { Arn = '' } = await client.send(new GetCallerIdentityCommand()).catch((cause) => {
    throw new OperatorError(`${unknown}: ${failureText(cause)}`, { cause });
  });
  // arn:aws:sts::111122223333:assumed-role/Operator/ann
  const [, , , , , ...name] = Arn.split(':');
  if (name.length > 0) return name.join(':');
  throw new OperatorError(unknown);
}

/** Checks the value of `--as`. A key id is refused: an operator's cancellation would look like a customer's. */
function ownName(as: string): string {
  const name = checkedText('--as', as, 128);
  if (/^key_/i.test(name)) throw new InvalidValueError('--as', name, 'your name, not a key id');
  return name;
}
