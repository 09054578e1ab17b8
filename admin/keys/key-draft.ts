import { hashToken } from '../../lambdas/shared/api-key.ts';
import type { PlanName } from '../../lib/settings/plans.ts';
import { createKeyId, createToken, ownCharactersOf } from '../../shared/api-key-token.ts';
import { checkedText } from '../console/checked-text.ts';
import type { CompleteOwner, DocumentOfEntry, KeyDetails } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';

/** A key whose token was just made. */
export interface IssuedKey {
  keyId: string;
  /** The bearer token: shown once, stored nowhere. */
  apiKey: string;
  plan: PlanName;
  /** The owner's name. */
  owner: string;
  ownerId: string;
  perMinute: number;
  perDay: number;
  /** Unix seconds. */
  expiresAt?: number;
  label?: string;
}

/** A key that is made up, and exists nowhere yet: what is to be stored of it, and where. */
export interface DraftKey {
  readonly issued: IssuedKey;
  readonly tokenHash: string;
  readonly details: KeyDetails;
  readonly entry: DocumentOfEntry;
}

/** What a new key is to have of its own. */
export interface KeyTraits {
  readonly label?: string;
  /** Unix seconds; never expires when absent. */
  readonly expiresAt?: number;
}

const labelMaxLength = 100;
const shownCharacters = 4;

/** Makes up a key of an owner without storing it. */
export function draftKey(
  owner: CompleteOwner,
  { label, expiresAt }: KeyTraits,
  store: KeyStore,
): DraftKey {
  const { ownerId, name, seed } = owner.details;
  const { plan, perMinute, perDay } = owner.item;
  const keyId = createKeyId(ownerId);
  const apiKey = createToken(store.tokenPrefix, seed);
  const tokenHash = hashToken(apiKey);
  const createdAt = new Date(store.now()).toISOString();
  const lastFour = apiKey.slice(-shownCharacters);
  return {
    issued: { keyId, apiKey, plan, owner: name, ownerId, perMinute, perDay, expiresAt, label },
    tokenHash,
    details: { label, lastFour, createdAt, tokenHash },
    entry: { id: ownCharactersOf(keyId), expiresAt },
  };
}

/** A label that a key can have. @throws OperatorError when it is none */
export function keyLabel(text: string): string {
  return checkedText('--label', text, labelMaxLength);
}
