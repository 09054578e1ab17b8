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

/** Where a key is: its owner's item, and its entry there. Both are hashes of the token. */
export interface KeyAddress {
  ownerHash: string;
  tokenHash: string;
}

/** A key and its owner as their item was at some moment. */
export interface KeyState {
  owner: OwnerRecord;
  key: KeyEntry;
}

/** When a request is judged, and what follows from it alone. Unix seconds, but for `nowMs`. */
export interface Moment {
  nowMs: number;
  nowSeconds: number;
  minute: number;
  day: number;
  /** A window that starts later is void. */
  newestWindow: number;
  /** A ban that ends later is void: no ban is that long. */
  latestBan: number;
}

/** What a state means at a moment. */
export interface Standing extends WindowUses {
  /** False for a revoked or expired key, and for every key of a suspended owner: 401. */
  isUsable: boolean;
  isBanned: boolean;
  /** The ban ends later than any that a right clock can have begun, and does not hold. */
  isBanVoid: boolean;
  /** The windows of which nothing is left. */
  full: WindowUse[];
  /** A window or a ban was begun by a clock that cannot have been right. */
  isVoid: boolean;
}

/** A state out of an item; undefined where the item has no such key. */
export function readKeyState(item: Item, { tokenHash }: KeyAddress): KeyState | undefined {
  const key = readKeyEntry(item, tokenHash);
  return key && { owner: readOwnerRecord(item), key };
}

/** @param longestBanSeconds of all plans */
export function momentAt(nowMs: number, longestBanSeconds: number): Moment {
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

export function standingOf({ owner, key }: KeyState, moment: Moment): Standing {
  const { nowSeconds, latestBan } = moment;
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
