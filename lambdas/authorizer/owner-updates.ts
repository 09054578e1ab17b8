import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { newestWindow, type WindowName, windowNames, windowStarts } from '../shared/windows.ts';
import type { KeyStatus, RequestTime } from './decision.ts';

/*
 * The writes on an owner's item. Each is one conditional UpdateItem. DynamoDB serializes the writes
 * on an item and evaluates each condition against the stored item, so a writer's outdated view of
 * the item can make its write fail but never admits a request too many.
 *
 * Every write has these conditions:
 *
 *   #status = :active               the owner is not suspended
 *   attribute_exists(#keys.#key)    the key exists: a revoked or an invented key has no entry
 *   expiresAt absent or > :now      the key has not expired
 *   bannedUntil absent, <= :now     the key is not banned, or its ban is void because no clock
 *     or > :latestBan               within the tolerance can have begun it
 *
 * An admission also updates both windows, the minute and the day, each in one of two ways:
 *
 *   minuteWindow BETWEEN :minute AND :newest AND minuteCount < perMinute
 *                                   the window counts: its count increases by 1
 *   NOT minuteWindow BETWEEN :minute AND :newest
 *                                   the window is over or void: the current one begins with 1
 *
 * The conditions exclude each other: of several requests that find an old window, one replaces it;
 * the conditions of the others fail, and they count in the new window. No write replaces a window
 * within the tolerance by an earlier one, so a full window never becomes empty before its end.
 *
 * The SDK repeats a write whose response was lost, even though the first may have taken effect. Such
 * a request is counted twice: the client loses one request, and the limit is not exceeded.
 */

/** The partition key of an owner's item and the name of a key's entry in it, both hashes. */
export interface KeyAddress {
  ownerHash: string;
  tokenHash: string;
}

/** An update of an item, without the name of the table. */
export type ItemUpdate = Omit<UpdateItemCommandInput, 'TableName'>;

/** How a write records the rejection of a request. */
export interface RejectionRecord {
  /** True if the key's counter is that of the current minute, false if it has to start again. */
  isCounting: boolean;
  /** How many rejections in a minute do not lead to a ban. */
  tolerated: number;
  /** The end of the ban that begins with this write, if any, in Unix seconds. */
  banUntil: number | undefined;
}

/** A part of an update: its `SET` clause, its condition, and the values that it alone refers to. */
interface Change {
  set?: string;
  condition?: string;
  values?: Record<string, AttributeValue>;
}

const limits = { minute: 'perMinute', day: 'perDay' } as const;
const entry = '#keys.#key';

/** Counts one request in both windows and records the minute as that of the key's last use. */
export function admissionUpdate(
  address: KeyAddress,
  time: RequestTime,
  status: KeyStatus,
): ItemUpdate {
  const { day } = windowStarts(time.nowSeconds);
  return conditionalUpdate(address, time, [
    ...windowNames.map((name) => (status[name].isCounting ? count(name) : replace(name))),
    { set: `${entry}.usedAt = :minute`, values: { ':day': number(day) } },
    ...(status.isBanVoid ? [setBan(0)] : []),
  ]);
}

/**
 * Counts the rejection of a request while a window is full, and bans the key if there are more than
 * its plan tolerates. Of several concurrent requests beyond the tolerance exactly one begins the ban:
 * the conditions of the others fail because the key is banned.
 */
export function rejectionUpdate(
  address: KeyAddress,
  time: RequestTime,
  status: KeyStatus,
  record: RejectionRecord,
): ItemUpdate {
  const { minute, day, isBanVoid } = status;
  const banUntil = record.banUntil ?? (isBanVoid ? 0 : undefined);
  return conditionalUpdate(address, time, [
    ...(minute.remaining === 0 ? [requireFull('minute')] : []),
    ...(day.remaining === 0
      ? [{ ...requireFull('day'), values: { ':day': number(windowStarts(time.nowSeconds).day) } }]
      : []),
    countRejection(record),
    ...(banUntil === undefined ? [] : [setBan(banUntil)]),
  ]);
}

function count(name: WindowName): Change {
  return {
    set: `${name}Count = ${name}Count + :one`,
    condition: `${isCounting(name)} AND ${name}Count < ${limits[name]}`,
  };
}

function replace(name: WindowName): Change {
  return {
    set: `${name}Window = :${name}, ${name}Count = :one`,
    condition: `NOT ${isCounting(name)}`,
  };
}

function requireFull(name: WindowName): Change {
  return { condition: `${isCounting(name)} AND ${name}Count >= ${limits[name]}` };
}

function isCounting(name: WindowName): string {
  return `${name}Window BETWEEN :${name} AND :newest`;
}

function countRejection({ isCounting, tolerated, banUntil }: RejectionRecord): Change {
  const isOfThisMinute = `${entry}.rejectionWindow BETWEEN :minute AND :newest`;
  if (!isCounting) {
    return {
      set: `${entry}.rejectionWindow = :minute, ${entry}.rejectionCount = :one`,
      condition: `(attribute_not_exists(${entry}.rejectionWindow) OR NOT ${isOfThisMinute})`,
    };
  }
  const comparison = banUntil === undefined ? '<' : '>=';
  return {
    set: `${entry}.rejectionCount = ${entry}.rejectionCount + :one`,
    condition: `${isOfThisMinute} AND ${entry}.rejectionCount ${comparison} :tolerated`,
    values: { ':tolerated': number(tolerated) },
  };
}

/** Begins a ban, or ends a void one, which would apply as soon as its end is within the tolerance. */
function setBan(untilSeconds: number): Change {
  return { set: `${entry}.bannedUntil = :until`, values: { ':until': number(untilSeconds) } };
}

const isUsable =
  `#status = :active AND attribute_exists(${entry}) AND ` +
  `(attribute_not_exists(${entry}.expiresAt) OR ${entry}.expiresAt > :now) AND ` +
  `(attribute_not_exists(${entry}.bannedUntil) OR ` +
  `${entry}.bannedUntil <= :now OR ${entry}.bannedUntil > :latestBan)`;

function conditionalUpdate(
  { ownerHash, tokenHash }: KeyAddress,
  { nowSeconds, latestBan }: RequestTime,
  changes: Change[],
): ItemUpdate {
  return {
    Key: { ownerHash: { S: ownerHash } },
    UpdateExpression: `SET ${changes.flatMap(({ set }) => set ?? []).join(', ')}`,
    ConditionExpression: [isUsable, ...changes.flatMap(({ condition }) => condition ?? [])].join(
      ' AND ',
    ),
    ExpressionAttributeNames: { '#status': 'status', '#keys': 'keys', '#key': tokenHash },
    ExpressionAttributeValues: {
      ':active': { S: 'active' },
      ':now': number(nowSeconds),
      ':latestBan': number(latestBan),
      ':minute': number(windowStarts(nowSeconds).minute),
      ':newest': number(newestWindow(nowSeconds)),
      ':one': number(1),
      ...Object.assign({}, ...changes.map(({ values }) => values)),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
