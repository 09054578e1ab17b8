import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { windowStarts } from '../shared/windows.ts';

/*
 * The writes on a key's item. Each is one conditional UpdateItem, so that DynamoDB, which puts the
 * writes on an item in order, does the comparing: nothing is decided by an earlier look at the item,
 * and any number of concurrent requests get exactly what is left.
 *
 *   #status = :active                    a revoked key fails from the next request on, and so does
 *                                        an unknown one: there is no item, hence no status
 *   expiresAt absent or > :now           an expired one likewise
 *   bannedUntil absent or <= :now        no ban, or none any more
 *
 * and of each window, the minute's and the day's, one of two forms:
 *
 *       ----------[ 10:04        )[ 10:05        )---------> UTC
 *                       |                 |
 *             the window of the item   :minute, this machine's
 *
 *   turn to the new window       minuteWindow <  :minute
 *                                minuteWindow = :minute, minuteCount = 1
 *   count in the window          minuteWindow >= :minute AND minuteCount < perMinute
 *                                minuteCount = minuteCount + 1
 *
 * The two exclude each other: of the requests that see an old window, one turns it and the others,
 * whose condition fails, count in it. `>=` is for a machine whose clock is behind: it finds a
 * window ahead of its own and counts there. Since nothing writes an earlier window, a full one is
 * never emptied.
 *
 * The SDK sends a write again when its answer is lost, though the first may have been carried out.
 * Such a request is counted twice: one less for the client, never one more.
 */

const isUsable =
  '#status = :active AND ' +
  '(attribute_not_exists(expiresAt) OR expiresAt > :now) AND ' +
  '(attribute_not_exists(bannedUntil) OR bannedUntil <= :now)';

export interface Target {
  tableName: string;
  keyHash: string;
  nowSeconds: number;
}

interface Change {
  set: string;
  condition: string;
}

/**
 * Admits one request: counts it in both windows.
 *
 * @param stale which windows have to be turned first; on the steady path none
 */
export function admissionUpdate(
  target: Target,
  stale: { minute: boolean; day: boolean },
): UpdateItemCommandInput {
  const { minute, day } = windowStarts(target.nowSeconds);
  const changes = [
    stale.minute ? turn('minute') : count('minute', 'perMinute'),
    stale.day ? turn('day') : count('day', 'perDay'),
  ];
  return conditionalUpdate(target, changes, { ':minute': number(minute), ':day': number(day) });
}

/**
 * Counts one rejection, in a window of its own.
 *
 * @param isStale the item's rejections are those of an earlier minute
 * @param tolerated how many rejections in a minute go unpunished; at that many the update fails
 */
export function rejectionUpdate(
  target: Target,
  { isStale, tolerated }: { isStale: boolean; tolerated: number },
): UpdateItemCommandInput {
  const { minute } = windowStarts(target.nowSeconds);
  if (isStale) {
    return conditionalUpdate(target, [turn('rejection')], { ':rejection': number(minute) });
  }
  return conditionalUpdate(target, [count('rejection', ':tolerated')], {
    ':rejection': number(minute),
    ':tolerated': number(tolerated),
  });
}

/**
 * Begins a ban. Of any number of requests that go beyond the tolerance at once, one succeeds: to
 * the others the key is already banned.
 */
export function banUpdate(
  target: Target,
  { tolerated, banSeconds }: { tolerated: number; banSeconds: number },
): UpdateItemCommandInput {
  const ban = {
    set: 'bannedUntil = :until, rejectionCount = rejectionCount + :one',
    condition: 'rejectionCount >= :tolerated',
  };
  return conditionalUpdate(target, [ban], {
    ':tolerated': number(tolerated),
    ':until': number(target.nowSeconds + banSeconds),
  });
}

function turn(window: string): Change {
  return {
    set: `${window}Window = :${window}, ${window}Count = :one`,
    condition: `${window}Window < :${window}`,
  };
}

function count(window: string, limit: string): Change {
  return {
    set: `${window}Count = ${window}Count + :one`,
    condition: `${window}Window >= :${window} AND ${window}Count < ${limit}`,
  };
}

function conditionalUpdate(
  { tableName, keyHash, nowSeconds }: Target,
  changes: Change[],
  values: Record<string, AttributeValue>,
): UpdateItemCommandInput {
  return {
    TableName: tableName,
    Key: { keyHash: { S: keyHash } },
    UpdateExpression: `SET ${changes.map((change) => change.set).join(', ')}`,
    ConditionExpression: [isUsable, ...changes.map((change) => change.condition)].join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':active': { S: 'active' },
      ':now': number(nowSeconds),
      ':one': number(1),
      ...values,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function number(value: number): AttributeValue {
  return { N: String(value) };
}
