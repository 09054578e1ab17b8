import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { EvaluatedKey } from './decision.ts';
import type { Plan } from './plan.ts';
import { type WindowName, windowLimits } from './windows.ts';

/*
 * The writes on an owner's item, as the top of limiter.ts explains them. The conditions below are texts of expressions.
 */

/** The partition key of an owner's item, and the name of a key's entry in this item. Both are hashes. */
export interface KeyAddress {
  ownerHash: string;
  tokenHash: string;
}

/** An update of an item, without the name of the table. */
export type ItemUpdate = Omit<UpdateItemCommandInput, 'TableName'>;

const entry = '#keys.#key';

/**
 * Counts one request in both windows, and records the minute as the time of the key's last use. It also removes the
 * end of a ban that is over or void. Otherwise, a void ban would apply as soon as its end comes within the tolerance.
 */
export function admissionUpdate(address: KeyAddress, key: EvaluatedKey): ItemUpdate {
  const { windows, plan } = key;
  const minute = windows.minute.isOpen ? countIn('minute', plan) : replace('minute');
  const day = windows.day.isOpen ? countIn('day', plan) : replace('day');
  return ownerUpdate(
    address,
    key,
    `SET ${minute.set}, ${day.set}, ${entry}.usedAt = :minuteFirst REMOVE ${entry}.bannedUntil`,
    `${mayBeCounted} AND ${minute.condition} AND ${day.condition}`,
  );
}

/** Counts the rejection of a request while a window is full, and bans the key if its plan says so. */
export function rejectionUpdate(address: KeyAddress, key: EvaluatedKey): ItemUpdate {
  const { rejections, plan } = key;
  const isBanDue = (rejections ?? 0) >= plan.toleratedRejectionsPerMinute;
  const count = rejections === undefined ? firstRejection : furtherRejection(isBanDue);
  const ban = isBanDue ? `, ${entry}.bannedUntil = :endOfBan` : ` REMOVE ${entry}.bannedUntil`;
  return ownerUpdate(
    address,
    key,
    `SET ${count.set}${ban}`,
    `${mayBeCounted} AND (${whereFull('minute', plan)} OR ${whereFull('day', plan)}) AND ${count.condition}`,
  );
}

/**
 * The condition that the owner is active and has this plan, and that its key exists, has not expired, and has no ban or
 * only a void ban.
 */
const mayBeCounted =
  `#status = :active AND #plan = :plan AND attribute_exists(${entry}) AND ` +
  `(attribute_not_exists(${entry}.expiresAt) OR ${entry}.expiresAt > :now) AND ` +
  `(attribute_not_exists(${entry}.bannedUntil) OR NOT ${whereCurrent(`${entry}.bannedUntil`, 'ban')})`;

function countIn(name: WindowName, plan: Plan) {
  return {
    set: `${name}Count = ${name}Count + :one`,
    condition: `${whereOpen(name)} AND ${whereRoom(name, plan)}`,
  };
}

function replace(name: WindowName) {
  return {
    set: `${name}Window = :${name}First, ${name}Count = :one`,
    condition: `NOT ${whereOpen(name)}`,
  };
}

// Each function whose name begins with `where` returns the text of a condition.

function whereFull(name: WindowName, plan: Plan): string {
  return `(${whereOpen(name)} AND NOT (${whereRoom(name, plan)}))`;
}

function whereOpen(name: WindowName): string {
  return whereCurrent(`${name}Window`, name);
}

/** The condition for `isCurrent` of windows.ts. The start of the current window is `First`. */
function whereCurrent(time: string, span: WindowName | 'ban'): string {
  return `(${time} BETWEEN :${span}First AND :${span}Last)`;
}

/** Neither the plan's limit is reached nor, if the plan allows one, the owner's own limit. */
function whereRoom(name: WindowName, { limitsPerOwner }: Plan): string {
  const [count, limit] = [`${name}Count`, windowLimits[name]];
  const isBelowPlan = `${count} < :${limit}`;
  return limitsPerOwner
    ? `${isBelowPlan} AND (attribute_not_exists(${limit}) OR ${count} < ${limit})`
    : isBelowPlan;
}

const countsThisMinute = whereCurrent(`${entry}.rejectionWindow`, 'minute');

const firstRejection = {
  set: `${entry}.rejectionWindow = :minuteFirst, ${entry}.rejectionCount = :one`,
  condition: `(attribute_not_exists(${entry}.rejectionWindow) OR NOT ${countsThisMinute})`,
};

function furtherRejection(isBanDue: boolean) {
  return {
    set: `${entry}.rejectionCount = ${entry}.rejectionCount + :one`,
    condition: `${countsThisMinute} AND ${entry}.rejectionCount ${isBanDue ? '>=' : '<'} :tolerated`,
  };
}

function ownerUpdate(
  { ownerHash, tokenHash }: KeyAddress,
  { times: { nowSeconds, minute, day, ban }, owner, plan }: EvaluatedKey,
  UpdateExpression: string,
  ConditionExpression: string,
): ItemUpdate {
  const values: Record<string, AttributeValue> = {
    ':active': { S: 'active' },
    ':plan': { S: owner.plan },
    ':now': number(nowSeconds),
    ':minuteFirst': number(minute.first),
    ':minuteLast': number(minute.last),
    ':dayFirst': number(day.first),
    ':dayLast': number(day.last),
    ':banFirst': number(ban.first),
    ':banLast': number(ban.last),
    ':one': number(1),
    ':perMinute': number(plan.perMinute),
    ':perDay': number(plan.perDay),
    ':tolerated': number(plan.toleratedRejectionsPerMinute),
    ':endOfBan': number(nowSeconds + plan.banSeconds),
  };
  // DynamoDB refuses a value that no expression uses.
  const expressions = UpdateExpression + ConditionExpression;
  const used = Object.entries(values).filter(([name]) => expressions.includes(name));
  return {
    Key: { ownerHash: { S: ownerHash } },
    UpdateExpression,
    ConditionExpression,
    ExpressionAttributeNames: {
      '#status': 'status',
      '#plan': 'plan',
      '#keys': 'keys',
      '#key': tokenHash,
    },
    ExpressionAttributeValues: Object.fromEntries(used),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
