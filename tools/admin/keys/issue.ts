import { Option } from 'commander';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { futureSeconds, type Time, timeAhead } from '../console/option-values.ts';
import { asOption, type Verb } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { checkedText } from '../store/checked-text.ts';
import { ensureGatewayKey } from '../store/gateway-keys.ts';
import { findOwner } from '../store/owners.ts';
import { type IssuedKey, issuedResult, storeNewKey } from './new-key.ts';

/** The options of `keys issue`. */
export interface KeyRequest {
  /** The owner's id or name. */
  readonly owner: string;
  readonly label?: string | undefined;
  /** The expiry. @default - never expires */
  readonly expiresIn?: Time | undefined;
  /** Whether the key may list orders and not cancel them. @default false */
  readonly readOnly?: boolean | undefined;
}

export const issue: Verb<KeyRequest> = {
  usage: 'issue',
  description: 'issue a key, which is shown only once and stored nowhere',
  options: [
    new Option('--owner <owner>', "the owner's id or name").makeOptionMandatory(),
    new Option('--label <text>', 'a note on the purpose of the key; "./admin keys list" shows it'),
    new Option(
      '--expires-in <duration>',
      'the time until the key expires, such as 90d, or a date (default: never)',
    ).argParser(timeAhead),
    new Option('--read-only', 'issue a key that can list orders but not cancel them'),
    asOption,
  ],
  examples: [
    'keys issue --stage prod --owner "Acme Ltd"',
    'keys issue --stage prod --owner "Acme Ltd" --label "web shop" --expires-in 90d',
  ],
  run: async ({ stage, options }) => issuedResult(await issueKey(options, stage)),
};

const maxLabelLength = 100;

/** Issues a key to an owner. @throws OperatorError if a value is invalid, or there is no such owner */
export async function issueKey(request: KeyRequest, stage: KeyStage): Promise<IssuedKey> {
  const { expiresIn } = request;
  const expiresAt = expiresIn && futureSeconds('--expires-in', expiresIn, stage.now());
  // If a key has full access, the attribute is left out, because each request writes all entries, and so pays for their
  // size.
  const isReadOnly = request.readOnly || undefined;
  const label =
    request.label === undefined ? undefined : checkedText('--label', request.label, maxLabelLength);
  const owner = await findOwner(request.owner, stage);
  const { ownerId, plan, keys } = owner.item;
  const isFirst = Object.keys(keys).length === 0;
  // A plan that was removed has no API Gateway keys.
  if (isFirst && isPlanName(plan)) {
    const isAdded = await ensureGatewayKey(ownerId, plan, stage);
    if (isAdded) await stage.settle();
  }
  const entry = { expiresAt, isReadOnly };
  return storeNewKey({ command: 'keys issue', owner, label, entry }, stage);
}
