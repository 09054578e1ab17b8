import { hashToken } from '../../lambdas/shared/api-key.ts';
import type { PlanName } from '../../lib/settings/plans.ts';
import { createKeyId, createToken, ownCharactersOf } from '../../shared/api-key-token.ts';
import { checkedText } from '../console/checked-text.ts';
import type { CompleteOwner, DocumentOfEntry, KeyDetails } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';

/** A new key with its token. */
export interface IssuedKey {
  keyId: string;
  /** The bearer token, which is shown once and never stored. */
  apiKey: string;
  plan: PlanName;
  /** The owner's name. */
  owner: string;
  ownerId: string;
  perMinute: number;
  perDay: number;
  /** The expiry in Unix seconds. */
  expiresAt?: number;
  label?: string;
}

/** A key that has been generated but not stored, with its details and its entry. */
export interface DraftKey {
  readonly issued: IssuedKey;
  readonly tokenHash: string;
  readonly details: KeyDetails;
  readonly entry: DocumentOfEntry;
}

/** The properties of a key that do not come from its owner. */
export interface KeyTraits {
  readonly label?: string;
  /** The expiry in Unix seconds. @default - never expires */
  readonly expiresAt?: number;
}

const labelMaxLength = 100;
const shownCharacters = 4;

/** Generates a key of an owner without storing it. */
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

/** Normalizes a key's label. @throws OperatorError when it is not accepted */
export function keyLabel(text: string): string {
  return checkedText('--label', text, labelMaxLength);
}
