import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** A key's item: who it is, what it may, and how much it has used. Times are Unix seconds. */
export interface KeyRecord {
  keyId: string;
  plan: string;
  isActive: boolean;
  /** Absent for a key that never expires. */
  expiresAt: number | undefined;
  perMinute: number;
  perDay: number;
  /** The start of the UTC minute that `minuteCount` counts; 0 before the first request. */
  minuteWindow: number;
  minuteCount: number;
  dayWindow: number;
  dayCount: number;
  /** The end of the last ban, which may be over. */
  bannedUntil: number;
  rejectionWindow: number;
  rejectionCount: number;
}

export type Item = Record<string, AttributeValue>;

/** Reads a key's item. The counters are far below 2^53, so they may be numbers. */
export function readKeyRecord(item: Item): KeyRecord {
  const number = (name: string) => Number(item[name]?.N ?? 0);
  return {
    keyId: item.keyId?.S ?? '',
    plan: item.plan?.S ?? '',
    isActive: item.status?.S === 'active',
    expiresAt: item.expiresAt?.N === undefined ? undefined : Number(item.expiresAt.N),
    perMinute: number('perMinute'),
    perDay: number('perDay'),
    minuteWindow: number('minuteWindow'),
    minuteCount: number('minuteCount'),
    dayWindow: number('dayWindow'),
    dayCount: number('dayCount'),
    bannedUntil: number('bannedUntil'),
    rejectionWindow: number('rejectionWindow'),
    rejectionCount: number('rejectionCount'),
  };
}
