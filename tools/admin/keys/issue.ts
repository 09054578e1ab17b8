import { Option } from 'commander';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { futureSeconds, type Time, timeAhead } from '../console/option-values.ts';
import { asOption, type Verb } from '../console/verb.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { checkedText } from '../store/checked-text.ts';
import { provideGatewayKey } from '../store/gateway-keys.ts';
import { changeKeys } from '../store/key-change.ts';
import { findOwner } from '../store/owners.ts';
import { keyView } from './key-view.ts';
import { draftKey, type IssuedKey, issuedResult } from './new-key.ts';

export const issue: Verb<{ owner: string; label?: string; expiresIn?: Time; readOnly?: boolean }> =
  {
    usage: 'issue',
    description: 'issue a key, which is shown only once and stored nowhere',
    options: [
      new Option('--owner <owner>', "the owner's id or name").makeOptionMandatory(),
      new Option(
        '--label <text>',
        'a note on the purpose of the key; "./admin keys list" shows it',
      ),
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
    run: async ({ stage, options: { owner, label, expiresIn, readOnly } }) => {
      const expiresAt = expiresIn && futureSeconds('--expires-in', expiresIn, stage.now());
      return issuedResult(await issueKey({ owner, label, expiresAt, isReadOnly: readOnly }, stage));
    },
  };

/** A key to issue. */
export interface NewKey {
  /** The owner's id or name. */
  readonly owner: string;
  readonly label?: string | undefined;
  /** The expiry in Unix seconds. @default - never expires */
  readonly expiresAt?: number | undefined;
  /** Whether the key may list orders and not cancel them. @default false */
  readonly isReadOnly?: boolean | undefined;
}

const maxLabelLength = 100;

/** Issues a key to an owner. @throws OperatorError if a value is invalid, or there is no such owner */
export async function issueKey(request: NewKey, stage: KeyStage): Promise<IssuedKey> {
  const { expiresAt } = request;
  // If a key has full access, the attribute is left out, because each request writes all entries, and so pays for their
  // size.
  const isReadOnly = request.isReadOnly || undefined;
  const label =
    request.label === undefined ? undefined : checkedText('--label', request.label, maxLabelLength);
  const owner = await findOwner(request.owner, stage);
  const { plan, keys } = owner.item;
  const isFirst = Object.keys(keys).length === 0;
  // A plan that was removed has no API Gateway keys.
  if (isFirst && isPlanName(plan)) await provideGatewayKey(owner.details.ownerId, plan, stage);
  const draft = draftKey(owner, { label }, { expiresAt, isReadOnly }, stage);
  // The view is made before the change, because after the change nothing must fail.
  const view = keyView(draft, stage);
  await changeKeys(owner, { command: 'keys issue', added: draft }, stage);
  return { ...view, apiKey: draft.apiKey };
}
