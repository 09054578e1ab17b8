import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import {
  newestWindow,
  type WindowName,
  windowLimits,
  windowNames,
  windowStarts,
} from '../domain/windows.ts';
import type { KeyStatus } from './decision.ts';

/* The writes on an owner's item, as the top of limiter.ts explains them. */

/** The partition key of an owner's item and the name of a key's entry in it, both hashes. */
export interface KeyAddress {
  ownerHash: string;
  tokenHash: string;
}

/** How many rejections in a minute a plan tolerates, and how long the ban beyond them lasts. */
export interface BanRule {
  toleratedRejectionsPerMinute: number;
  banSeconds: number;
}

/** An update of an item, without the name of the table. */
export type ItemUpdate = Omit<UpdateItemCommandInput, 'TableName'>;

/** A part of an update: its `SET` clause, its condition, and the values that only it uses. */
interface Change {
  set?: string;
  condition?: string;
  values?: Record<string, AttributeValue>;
}

const entry = '#keys.#key';

/** Counts one request in both windows and records the minute as that of the key's last use. */
export function admissionUpdate(address: KeyAddress, status: KeyStatus): ItemUpdate {
  return conditionalUpdate(address, status, [
    ...windowNames.map((name) => (status.windows[name].isOpen ? count(name) : replace(name))),
    { set: `${entry}.usedAt = :minute` },
    endVoidBan(status),
  ]);
}

/** Counts the rejection of a request while a window is full, and bans the key if its plan says so. */
export function rejectionUpdate(
  address: KeyAddress,
  status: KeyStatus,
  { toleratedRejectionsPerMinute: tolerated, banSeconds }: BanRule,
): ItemUpdate {
  const { rejections, time } = status;
  const isBanDue = (rejections ?? 0) >= tolerated;
  const full = windowNames.map((name) => `${openCondition(name)} AND NOT ${roomCondition(name)}`);
  return conditionalUpdate(address, status, [
    { condition: `(${full.join(' OR ')})` },
    rejections === undefined ? firstRejection : furtherRejection(isBanDue, tolerated),
    isBanDue ? setBan(time.nowSeconds + banSeconds) : endVoidBan(status),
  ]);
}

function count(name: WindowName): Change {
  return {
    set: `${name}Count = ${name}Count + :one`,
    condition: `${openCondition(name)} AND ${roomCondition(name)}`,
  };
}

function replace(name: WindowName): Change {
  return {
    set: `${name}Window = :${name}, ${name}Count = :one`,
    condition: `NOT ${openCondition(name)}`,
  };
}

function roomCondition(name: WindowName): string {
  return `${name}Count < ${windowLimits[name]}`;
}

function openCondition(name: WindowName): string {
  return `${name}Window BETWEEN :${name} AND :newest`;
}

const minuteCondition = `${entry}.rejectionWindow BETWEEN :minute AND :newest`;

const firstRejection: Change = {
  set: `${entry}.rejectionWindow = :minute, ${entry}.rejectionCount = :one`,
  condition: `(attribute_not_exists(${entry}.rejectionWindow) OR NOT ${minuteCondition})`,
};

function furtherRejection(isBanDue: boolean, tolerated: number): Change {
  return {
    set: `${entry}.rejectionCount = ${entry}.rejectionCount + :one`,
    condition: `${minuteCondition} AND ${entry}.rejectionCount ${isBanDue ? '>=' : '<'} :tolerated`,
    values: { ':tolerated': number(tolerated) },
  };
}

/** Ends a void ban, which would apply as soon as its end is within the tolerance. */
function endVoidBan({ isBanVoid }: KeyStatus): Change {
  return isBanVoid ? setBan(0) : {};
}

function setBan(untilSeconds: number): Change {
  return { set: `${entry}.bannedUntil = :until`, values: { ':until': number(untilSeconds) } };
}

/** The owner is active, and its key exists, has not expired, and is not banned, or only by a void ban. */
const usableCondition =
  `#status = :active AND attribute_exists(${entry}) AND ` +
  `(attribute_not_exists(${entry}.expiresAt) OR ${entry}.expiresAt > :now) AND ` +
  `(attribute_not_exists(${entry}.bannedUntil) OR ` +
  `${entry}.bannedUntil <= :now OR ${entry}.bannedUntil > :latestBan)`;

function conditionalUpdate(
  { ownerHash, tokenHash }: KeyAddress,
  { time: { nowSeconds, latestBan } }: KeyStatus,
  changes: Change[],
): ItemUpdate {
  const { minute, day } = windowStarts(nowSeconds);
  const conditions = [usableCondition, ...changes.flatMap(({ condition }) => condition ?? [])];
  return {
    Key: { ownerHash: { S: ownerHash } },
    UpdateExpression: `SET ${changes.flatMap(({ set }) => set ?? []).join(', ')}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': 'status', '#keys': 'keys', '#key': tokenHash },
    ExpressionAttributeValues: {
      ':active': { S: 'active' },
      ':now': number(nowSeconds),
      ':latestBan': number(latestBan),
      ':minute': number(minute),
      ':day': number(day),
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
