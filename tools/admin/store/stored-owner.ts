import type { KeyEntry, OwnerRecord } from '../../../lambdas/keys/owner-record.ts';

/** The details of a key, in the owner's item in the Owners table. */
export interface KeyDetails {
  label?: string | undefined;
  /** The last four characters of the token, by which people recognise it. */
  lastFour: string;
  /** ISO 8601, like `revokedAt`. */
  createdAt: string;
  /** The name of the key's entry in the ApiKeys table. */
  tokenHash: string;
  revokedAt?: string | undefined;
  /** In Unix seconds, copied from the entry of an expired key when it leaves its owner's item. */
  expiresAt?: number | undefined;
  /** In Unix seconds, copied from the entry when it leaves its owner's item. */
  usedAt?: number | undefined;
  /** A key id. */
  replaces?: string | undefined;
}

/** An owner's item in the Owners table. */
export interface OwnerDetails {
  ownerId: string;
  name: string;
  /** ISO 8601. */
  createdAt: string;
  /** The secret from which the common part of the owner's tokens is derived. */
  seed: string;
  /** The key of the owner's item in the ApiKeys table. */
  ownerHash: string;
  /** By key id. */
  keys: Readonly<Record<string, KeyDetails>>;
  /**
   * The number of changes. No command overwrites a later one, because each requires the revision that it has read.
   * Absent if an earlier version of the commands has made all changes.
   */
  revision?: number;
}

/** A key's entry in its owner's item. Absent numbers are 0. Without `expiresAt`, the key never expires. */
export interface StoredEntry extends Partial<Omit<KeyEntry, 'keyId'>> {
  /** The characters of the key id that are not the owner's. */
  id: string;
}

/** An owner's item in the ApiKeys table. The authorizer reads and updates it. Its plan may have been removed. */
export interface OwnerItem extends Omit<OwnerRecord, 'isActive'> {
  status: 'active' | 'suspended';
  /** The entries of keys by the hash of their tokens. The next change of the owner's keys removes dead entries. */
  keys: Readonly<Record<string, StoredEntry>>;
}

/** Everything that is stored about an owner, except its history. */
export interface StoredOwner {
  readonly details: OwnerDetails;
  readonly item: OwnerItem;
}
