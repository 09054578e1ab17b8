import type {
  AttributeValue,
  GetItemCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { WindowName, WindowUse } from '../shared/windows.ts';
import type { KeyAddress, Moment, Standing } from './key-state.ts';

/*
 * The writes on an owner's item. Each is one conditional UpdateItem, so that DynamoDB, which puts
 * the writes on an item in order, does the comparing: whatever state the writer had in mind, nothing
 * is decided by it, and any number of concurrent requests get exactly what is left.
 *
 *   #status = :active                    the keys of a suspended owner fail from the next request on
 *   attribute_exists(#keys.#key)         and so does a revoked or an invented key: it has no entry
 *   expiresAt absent or > :now           an expired one likewise
 *   bannedUntil absent, not later than :now, or beyond :latestBan     no ban, none any more, or one
 *                                        that no clock that was right can have begun
 *
 * and of each window, the minute's and the day's, one of three forms:
 *
 *   ------[ window )---------[ now )-----------------------------> UTC     turn
 *         minuteWindow < :minute
 *         the prior window becomes this one, this one :minute with a count of 1
 *
 *   ---------------[ now, window )-------- tolerance ------------> UTC     count
 *         minuteWindow BETWEEN :minute AND :newest AND minuteCount < perMinute
 *         minuteCount = minuteCount + 1
 *
 *   ---------[ now )---- tolerance ------------[ window )--------> UTC     repair
 *         minuteWindow, minuteCount and the prior ones exactly as seen
 *         :minute, with all that was counted in it before and in the void window since, and 1
 *
 * They exclude each other: of the requests that see an old window, one turns it and the others,
 * whose condition fails, count in it. `count` reaches beyond :minute for a machine whose clock is
 * behind: it finds a window ahead of its own and counts there. Since nothing within the tolerance
 * writes an earlier window, a full one is never emptied.
 *
 * The SDK sends a write again when its answer is lost, though the first may have been carried out.
 * Such a request is counted twice: one less for the client, never one more.
 */

/** The item of a key's owner, and when it is asked about. */
export interface Target extends KeyAddress {
  tableName: string;
  moment: Moment;
}

/** Rejections of a key to be counted, and what comes of them. */
export interface Punishment {
  rejections: number;
  /** The entry counts rejections of this minute already. */
  isCounting: boolean;
  /** How many in a minute go unpunished. */
  tolerated: number;
  /** Absent while they are tolerated. */
  ban?: { until: number; nonce: string };
}

/** A part of a write: what it sets, on which condition, with which values. */
interface Change {
  set: string;
  condition: string;
  values: Record<string, AttributeValue>;
}

const names: readonly WindowName[] = ['minute', 'day'];

const attributes = {
  minute: { limit: 'perMinute', own: 'minute', prior: 'priorMinute' },
  day: { limit: 'perDay', own: 'day', prior: 'priorDay' },
} as const;

/** Reads the item as it is. */
export function lookUp({ tableName, ownerHash }: Target): GetItemCommandInput {
  return { TableName: tableName, Key: { ownerHash: { S: ownerHash } }, ConsistentRead: true };
}

/** Admits one request: counts it in both windows, and notes the minute as the key's last use. */
export function admissionUpdate(target: Target, standing: Standing): UpdateItemCommandInput {
  const { moment } = target;
  return conditionalUpdate(target, [
    ...names.map((name) => admit(name, standing[name], moment)),
    { set: '#keys.#key.usedAt = :minute', condition: '', values: {} },
    ...(standing.isBanVoid ? [endBan()] : []),
  ]);
}

/**
 * Counts rejections of a key that a full window refuses, and bans the key when they are more than
 * tolerated. Of any number of requests that go beyond that at once, one begins the ban: to the
 * others the key is already banned.
 */
export function rejectionUpdate(
  target: Target,
  standing: Standing,
  punishment: Punishment,
): UpdateItemCommandInput {
  const { moment } = target;
  const full = names.filter((name) => standing[name].remaining === 0);
  const ban = punishment.ban ? [beginBan(punishment.ban)] : standing.isBanVoid ? [endBan()] : [];
  return conditionalUpdate(target, [
    ...full.map((name) => refuse(name, standing[name], moment)),
    countRejections(punishment, moment),
    ...ban,
  ]);
}

function admit(name: WindowName, use: WindowUse, moment: Moment): Change {
  const { limit, own, prior } = attributes[name];
  switch (use.step) {
    case 'turn':
      return {
        set:
          `${prior}Window = ${own}Window, ${prior}Count = ${own}Count, ` +
          `${own}Window = :${name}, ${own}Count = :one`,
        condition: `${own}Window < :${name}`,
        values: { [`:${name}`]: number(moment[name]), ':one': number(1) },
      };
    case 'count':
      return {
        set: `${own}Count = ${own}Count + :one`,
        condition: `${own}Window BETWEEN :${name} AND :newest AND ${own}Count < ${limit}`,
        values: { ...within(name, moment), ':one': number(1) },
      };
    case 'repair':
      return repair(name, use, { count: use.used + 1, comparison: '>=' });
  }
}

/** A window of which nothing is left; a void one is put right, so that it ends in good time. */
function refuse(name: WindowName, use: WindowUse, moment: Moment): Change {
  const { limit, own } = attributes[name];
  if (use.step === 'repair') return repair(name, use, { count: use.used, comparison: '<=' });
  return {
    set: '',
    condition: `${own}Window BETWEEN :${name} AND :newest AND ${own}Count >= ${limit}`,
    values: within(name, moment),
  };
}

/** @param after the count in the current window, and how the limit compares with it */
function repair(
  name: WindowName,
  { start, seen }: WindowUse,
  after: { count: number; comparison: '<=' | '>=' },
): Change {
  const { limit, own, prior } = attributes[name];
  return {
    set: `${own}Window = :${name}, ${own}Count = :${name}Count`,
    condition:
      `${own}Window = :${name}Seen AND ${own}Count = :${name}SeenCount AND ` +
      `${prior}Window = :${name}Prior AND ${prior}Count = :${name}PriorCount AND ` +
      `${limit} ${after.comparison} :${name}Count`,
    values: {
      [`:${name}`]: number(start),
      [`:${name}Count`]: number(after.count),
      [`:${name}Seen`]: number(seen.window),
      [`:${name}SeenCount`]: number(seen.count),
      [`:${name}Prior`]: number(seen.priorWindow),
      [`:${name}PriorCount`]: number(seen.priorCount),
    },
  };
}

const entry = '#keys.#key';

function countRejections(punishment: Punishment, moment: Moment): Change {
  const { rejections, isCounting, tolerated, ban } = punishment;
  const values = { ...within('minute', moment), ':rejections': number(rejections) };
  if (!isCounting) {
    return {
      set: `${entry}.rejectionWindow = :minute, ${entry}.rejectionCount = :rejections`,
      condition:
        `(attribute_not_exists(${entry}.rejectionWindow) OR ` +
        `NOT ${entry}.rejectionWindow BETWEEN :minute AND :newest)`,
      values,
    };
  }
  return {
    set: `${entry}.rejectionCount = ${entry}.rejectionCount + :rejections`,
    condition:
      `${entry}.rejectionWindow BETWEEN :minute AND :newest AND ` +
      `${entry}.rejectionCount ${ban ? '>' : '<='} :forgiven`,
    values: { ...values, ':forgiven': number(tolerated - rejections) },
  };
}

function beginBan({ until, nonce }: { until: number; nonce: string }): Change {
  return {
    set: `${entry}.bannedUntil = :until, ${entry}.bannedBy = :nonce`,
    condition: '',
    values: { ':until': number(until), ':nonce': { S: nonce } },
  };
}

/** Ends a void ban, which would hold once its end came closer. */
function endBan(): Change {
  return { set: `${entry}.bannedUntil = :none`, condition: '', values: { ':none': number(0) } };
}

function within(name: WindowName, moment: Moment): Record<string, AttributeValue> {
  return { [`:${name}`]: number(moment[name]), ':newest': number(moment.newestWindow) };
}

const isUsable =
  `#status = :active AND attribute_exists(${entry}) AND ` +
  `(attribute_not_exists(${entry}.expiresAt) OR ${entry}.expiresAt > :now) AND ` +
  `(attribute_not_exists(${entry}.bannedUntil) OR ` +
  `NOT ${entry}.bannedUntil BETWEEN :nextSecond AND :latestBan)`;

function conditionalUpdate(
  { tableName, ownerHash, tokenHash, moment }: Target,
  changes: Change[],
): UpdateItemCommandInput {
  const sets = changes.map(({ set }) => set).filter(Boolean);
  const conditions = changes.map(({ condition }) => condition).filter(Boolean);
  return {
    TableName: tableName,
    Key: { ownerHash: { S: ownerHash } },
    UpdateExpression: `SET ${sets.join(', ')}`,
    ConditionExpression: [isUsable, ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#status': 'status', '#keys': 'keys', '#key': tokenHash },
    ExpressionAttributeValues: Object.assign(
      {
        ':active': { S: 'active' },
        ':now': number(moment.nowSeconds),
        ':nextSecond': number(moment.nowSeconds + 1),
        ':latestBan': number(moment.latestBan),
      },
      ...changes.map(({ values }) => values),
    ),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
