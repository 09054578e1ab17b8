import { type KeyEntry, keyIdOf, type OwnerRecord } from '../../lambdas/shared/owner-record.ts';
import type { PlanName } from '../../lib/settings/plans.ts';

/** What only operators know of a key: its part of the owner's item in the Owners table. */
export interface KeyDetails {
  label?: string;
  /** The last four characters of the token, to tell keys apart by. */
  lastFour: string;
  /** ISO 8601. */
  createdAt: string;
  /** Names the key's entry in the ApiKeys table. */
  tokenHash: string;
  /** ISO 8601. */
  revokedAt?: string;
  /** Unix seconds, kept of the entry that a revocation has removed. */
  usedAt?: number;
  expiresAt?: number;
  /** The key ids before and after this one in a rotation. */
  replaces?: string;
  replacedBy?: string;
}

/**
 * The limits that were agreed with an owner. A limit that is missing is the plan's own, and follows
 * the plan when its number changes.
 */
export interface AgreedLimits {
  plan: PlanName;
  perMinute?: number;
  perDay?: number;
}

/** An owner's item in the Owners table. */
export interface OwnerDetails {
  ownerId: string;
  name: string;
  /** ISO 8601. */
  createdAt: string;
  /** What the common part of the owner's tokens is made of: a secret. */
  seed: string;
  /** Names the owner's item in the ApiKeys table. */
  ownerHash: string;
  agreed: AgreedLimits;
  /** By key id. */
  keys: Readonly<Record<string, KeyDetails>>;
}

/** An owner's item in the ApiKeys table: what the authorizer reads and counts in. */
export interface OwnerItem extends OwnerRecord {
  plan: PlanName;
  /** By the hash of their token; a revoked key is not among them. */
  keys: ReadonlyMap<string, KeyEntry>;
}

/** All that is stored of an owner. */
export interface StoredOwner {
  readonly details: OwnerDetails;
  /** Undefined for an owner that was created in part only: none of its keys is valid. */
  readonly item: OwnerItem | undefined;
}

/** An owner that was created in full. */
export interface CompleteOwner extends StoredOwner {
  readonly item: OwnerItem;
}

/** A key's entry as the document client takes and gives it. */
export interface DocumentOfEntry extends Partial<Omit<KeyEntry, 'keyId'>> {
  id: string;
}

/** An item of the ApiKeys table as the document client gives it. */
export interface DocumentOfOwner extends Omit<OwnerRecord, 'isActive'> {
  plan: PlanName;
  status: 'active' | 'suspended';
  keys: Record<string, DocumentOfEntry>;
}

export function readOwnerItem({ status, keys, ...record }: DocumentOfOwner): OwnerItem {
  const entries = Object.entries(keys).map(
    ([tokenHash, entry]) => [tokenHash, readEntry(record.ownerId, entry)] as const,
  );
  return { ...record, isActive: status === 'active', keys: new Map(entries) };
}

function readEntry(ownerId: string, { id, ...entry }: DocumentOfEntry): KeyEntry {
  return {
    bannedUntil: 0,
    rejectionWindow: 0,
    rejectionCount: 0,
    usedAt: 0,
    expiresAt: undefined,
    bannedBy: undefined,
    ...entry,
    keyId: keyIdOf(ownerId, id),
  };
}
