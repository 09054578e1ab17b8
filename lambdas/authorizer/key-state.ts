import {
  type Item,
  type KeyEntry,
  type OwnerRecord,
  readKeyEntry,
  readOwnerRecord,
} from '../shared/owner-record.ts';
import {
  newestWindow,
  type WindowUse,
  type WindowUses,
  windowStarts,
  windowUses,
} from '../shared/windows.ts';

/** The partition key of an owner's item and the name of a key's entry in it, both hashes. */
export interface KeyAddress {
  ownerHash: string;
  tokenHash: string;
}

/** The state of a key and of its owner, as one version of their item has it. */
export interface KeyState {
  owner: OwnerRecord;
  key: KeyEntry;
}

/** The time of a request and what derives from it: Unix seconds, except for `nowMs`. */
export interface RequestTime {
  nowMs: number;
  nowSeconds: number;
  /** The start of the current UTC minute. */
  minute: number;
  /** The start of the current UTC day. */
  day: number;
  /** A window that starts later is void: no clock within the tolerance can have started it. */
  newestWindow: number;
  /** A ban that ends later is void: no clock within the tolerance can have begun it. */
  latestBan: number;
}

/** What a key's state means for a request at a given time. */
export interface KeyStatus extends WindowUses {
  /** False for an expired key and for every key of a suspended owner, which are answered 401. */
  isUsable: boolean;
  isBanned: boolean;
  /** True if the ban ends after `latestBan`; such a ban is not applied. */
  isBanVoid: boolean;
  /** The windows with no requests left. */
  full: WindowUse[];
  /** True if the ban or one of the windows is void. */
  isVoid: boolean;
}

/** Reads a key's state from an item; undefined if the item has no such key, as when revoked. */
export function readKeyState(item: Item, { tokenHash }: KeyAddress): KeyState | undefined {
  const key = readKeyEntry(item, tokenHash);
  return key && { owner: readOwnerRecord(item), key };
}

/** @param longestBanSeconds the longest ban of any plan */
export function requestTimeAt(nowMs: number, longestBanSeconds: number): RequestTime {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const newest = newestWindow(nowSeconds);
  return {
    nowMs,
    nowSeconds,
    ...windowStarts(nowSeconds),
    newestWindow: newest,
    latestBan: newest + longestBanSeconds,
  };
}

export function keyStatus({ owner, key }: KeyState, time: RequestTime): KeyStatus {
  const { nowSeconds, latestBan } = time;
  const { minute, day } = windowUses(owner, nowSeconds);
  const isBanVoid = key.bannedUntil > latestBan;
  return {
    minute,
    day,
    isBanVoid,
    isUsable: owner.isActive && (key.expiresAt === undefined || key.expiresAt > nowSeconds),
    isBanned: key.bannedUntil > nowSeconds && !isBanVoid,
    full: [minute, day].filter(({ remaining }) => remaining === 0),
    isVoid: isBanVoid || minute.step === 'repair' || day.step === 'repair',
  };
}
