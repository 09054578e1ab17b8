import type {
  AttributeValue,
  GetItemCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { WindowName, WindowUse } from '../shared/windows.ts';
import type { KeyAddress, KeyStatus, RequestTime } from './key-state.ts';

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
 * An admission also updates both windows, the minute and the day, each in one of three ways:
 *
 *   ------[ window )---------[ now )-----------------------------> UTC     turn
 *         minuteWindow < :minute
 *         the window becomes the prior one, and :minute the window with a count of 1
 *
 *   ---------------[ now, window )-------- tolerance ------------> UTC     count
 *         minuteWindow BETWEEN :minute AND :newest AND minuteCount < perMinute
 *         minuteCount = minuteCount + 1
 *
 *   ---------[ now )---- tolerance ------------[ window )--------> UTC     repair
 *         minuteWindow, minuteCount and the prior ones unchanged since they were read
 *         :minute, with the sum of what the void window and :minute itself have counted, plus 1
 *
 * The conditions exclude each other: of several requests that find an old window, one turns it; the
 * conditions of the others fail, and they count in the new window. `count` also accepts a window
 * ahead of :minute, which a machine with a faster clock has started. No write replaces a window
 * within the tolerance by an earlier one, so a full window never becomes empty before its end.
 *
 * The SDK repeats a write whose response was lost, even though the first may have taken effect. Such
 * a request is counted twice: the client loses one request, and the limit is not exceeded.
 */

/** The item that an update is for, the key in it, and the time of the request. */
export interface Target extends KeyAddress {
  tableName: string;
  time: RequestTime;
}

/** How a write records rejections of a key. */
export interface RejectionRecord {
  rejections: number;
  /** True if the key's counter is that of the current minute, false if it has to start again. */
  isCounting: boolean;
  /** How many rejections in a minute do not lead to a ban. */
  tolerated: number;
  /** The ban that begins with this write, if any. `until` is Unix seconds. */
  ban?: { until: number; nonce: string };
}

/** A part of an update: its `SET` clause, its condition, and the values that both refer to. */
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

/** A strongly consistent read of an owner's item. */
export function ownerRead({ tableName, ownerHash }: Target): GetItemCommandInput {
  return { TableName: tableName, Key: { ownerHash: { S: ownerHash } }, ConsistentRead: true };
}

/** Counts one request in both windows and records the minute as that of the key's last use. */
export function admissionUpdate(target: Target, status: KeyStatus): UpdateItemCommandInput {
  const { time } = target;
  return conditionalUpdate(target, [
    ...names.map((name) => admit(name, status[name], time)),
    { set: '#keys.#key.usedAt = :minute', condition: '', values: {} },
    ...(status.isBanVoid ? [endBan()] : []),
  ]);
}

/**
 * Counts rejections of a key while a window is full, and bans the key if there are more than its
 * plan tolerates. Of several concurrent requests beyond the tolerance exactly one begins the ban:
 * the conditions of the others fail because the key is banned.
 */
export function rejectionUpdate(
  target: Target,
  status: KeyStatus,
  record: RejectionRecord,
): UpdateItemCommandInput {
  const { time } = target;
  const full = names.filter((name) => status[name].remaining === 0);
  const ban = record.ban ? [beginBan(record.ban)] : status.isBanVoid ? [endBan()] : [];
  return conditionalUpdate(target, [
    ...full.map((name) => requireFull(name, status[name], time)),
    countRejections(record, time),
    ...ban,
  ]);
}

function admit(name: WindowName, use: WindowUse, time: RequestTime): Change {
  const { limit, own, prior } = attributes[name];
  switch (use.step) {
    case 'turn':
      return {
        set:
          `${prior}Window = ${own}Window, ${prior}Count = ${own}Count, ` +
          `${own}Window = :${name}, ${own}Count = :one`,
        condition: `${own}Window < :${name}`,
        values: { [`:${name}`]: number(time[name]), ':one': number(1) },
      };
    case 'count':
      return {
        set: `${own}Count = ${own}Count + :one`,
        condition: `${own}Window BETWEEN :${name} AND :newest AND ${own}Count < ${limit}`,
        values: { ...within(name, time), ':one': number(1) },
      };
    case 'repair':
      return repair(name, use, { count: use.used + 1, comparison: '>=' });
  }
}

/** Requires that a window is full. A void one is also repaired, so that it ends on time. */
function requireFull(name: WindowName, use: WindowUse, time: RequestTime): Change {
  const { limit, own } = attributes[name];
  if (use.step === 'repair') return repair(name, use, { count: use.used, comparison: '<=' });
  return {
    set: '',
    condition: `${own}Window BETWEEN :${name} AND :newest AND ${own}Count >= ${limit}`,
    values: within(name, time),
  };
}

/** @param after the count that is written, and how the limit has to compare with it */
function repair(
  name: WindowName,
  { start, stored }: WindowUse,
  after: { count: number; comparison: '<=' | '>=' },
): Change {
  const { limit, own, prior } = attributes[name];
  return {
    set: `${own}Window = :${name}, ${own}Count = :${name}Count`,
    condition:
      `${own}Window = :${name}Stored AND ${own}Count = :${name}StoredCount AND ` +
      `${prior}Window = :${name}Prior AND ${prior}Count = :${name}PriorCount AND ` +
      `${limit} ${after.comparison} :${name}Count`,
    values: {
      [`:${name}`]: number(start),
      [`:${name}Count`]: number(after.count),
      [`:${name}Stored`]: number(stored.window),
      [`:${name}StoredCount`]: number(stored.count),
      [`:${name}Prior`]: number(stored.priorWindow),
      [`:${name}PriorCount`]: number(stored.priorCount),
    },
  };
}

const entry = '#keys.#key';

function countRejections(record: RejectionRecord, time: RequestTime): Change {
  const { rejections, isCounting, tolerated, ban } = record;
  const values = { ...within('minute', time), ':rejections': number(rejections) };
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
      `${entry}.rejectionCount ${ban ? '>' : '<='} :tolerable`,
    values: { ...values, ':tolerable': number(tolerated - rejections) },
  };
}

function beginBan({ until, nonce }: { until: number; nonce: string }): Change {
  return {
    set: `${entry}.bannedUntil = :until, ${entry}.bannedBy = :nonce`,
    condition: '',
    values: { ':until': number(until), ':nonce': { S: nonce } },
  };
}

/** Removes a void ban, which would apply as soon as its end is within the tolerance. */
function endBan(): Change {
  return { set: `${entry}.bannedUntil = :none`, condition: '', values: { ':none': number(0) } };
}

function within(name: WindowName, time: RequestTime): Record<string, AttributeValue> {
  return { [`:${name}`]: number(time[name]), ':newest': number(time.newestWindow) };
}

const isUsable =
  `#status = :active AND attribute_exists(${entry}) AND ` +
  `(attribute_not_exists(${entry}.expiresAt) OR ${entry}.expiresAt > :now) AND ` +
  `(attribute_not_exists(${entry}.bannedUntil) OR ` +
  `NOT ${entry}.bannedUntil BETWEEN :nextSecond AND :latestBan)`;

function conditionalUpdate(
  { tableName, ownerHash, tokenHash, time }: Target,
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
        ':now': number(time.nowSeconds),
        ':nextSecond': number(time.nowSeconds + 1),
        ':latestBan': number(time.latestBan),
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
