import { TransactionCanceledException, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { PlanName } from '../../lib/settings/plans.ts';
import { reasonOf, WrongStateError } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, type KeyItem } from './find-key.ts';
import { type DraftKey, draftKey, type IssuedKey, withGatewayKey } from './issue-key.ts';
import { summarizeKey } from './key-description.ts';

export interface Rotation {
  /** How long the old token still works. */
  graceSeconds: number;
  /** The new key's expiry in Unix seconds. @default the old key's */
  expiresAt?: number;
}

export interface RotatedKey extends IssuedKey {
  previousKeyId: string;
  /** Unix seconds. */
  previousExpiresAt: number;
}

/**
 * Replaces a key by a new one of the same owner, plan and limits. Both work during the grace period.
 *
 * The new key and the old one's expiry are written in one transaction: either the old key expires
 * and there is a new one, or nothing has changed.
 *
 * @throws OperatorError when the key is not active, or was rotated before
 */
export async function rotateKey(
  keyId: string,
  { graceSeconds, expiresAt }: Rotation,
  store: KeyStore,
): Promise<RotatedKey> {
  const previous = await findKey(keyId, store);
  refuseUnlessRotatable(previous, store.now());
  const previousExpiresAt = graceEnd(previous, graceSeconds, store.now());
  const draft = draftReplacement(previous, expiresAt, store);
  const explain = (reason: unknown) =>
    `It is not known whether ${keyId} was rotated: ${reasonOf(reason)}; when "keys show ${keyId}" ` +
    'names a replacement, rotate that one, otherwise run this again';
  await withGatewayKey(
    draft,
    store,
    () => replace(previous, draft, previousExpiresAt, store),
    explain,
  );
  return { ...draft.issued, previousKeyId: keyId, previousExpiresAt };
}

/** A key is never given more time than it had. */
function graceEnd(previous: KeyItem, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, Number(previous.expiresAt?.N ?? end));
}

function draftReplacement(
  previous: KeyItem,
  expiresAt: number | undefined,
  store: KeyStore,
): DraftKey {
  const inherited = previous.expiresAt?.N === undefined ? undefined : Number(previous.expiresAt.N);
  const { issued, item } = draftKey(
    {
      plan: previous.plan!.S as PlanName,
      owner: previous.owner!.S!,
      perMinute: Number(previous.perMinute!.N),
      perDay: Number(previous.perDay!.N),
      expiresAt: expiresAt ?? inherited,
    },
    store,
  );
  return { issued, item: { ...item, replaces: previous.keyId! } };
}

async function replace(
  previous: KeyItem,
  draft: DraftKey,
  previousExpiresAt: number,
  store: KeyStore,
): Promise<void> {
  const TableName = store.apiKeysTable;
  const put = { TableName, Item: draft.item, ConditionExpression: 'attribute_not_exists(keyHash)' };
  const update = {
    TableName,
    Key: { keyHash: previous.keyHash! },
    UpdateExpression: 'SET expiresAt = :end, replacedBy = :replacement',
    // Still as it was read: of two rotations at once, or one and a revocation, one gives way.
    ConditionExpression:
      '#status = :active AND attribute_not_exists(replacedBy) AND #plan = :plan AND ' +
      'perMinute = :perMinute AND perDay = :perDay',
    ExpressionAttributeNames: { '#status': 'status', '#plan': 'plan' },
    ExpressionAttributeValues: {
      ':end': { N: String(previousExpiresAt) },
      ':replacement': draft.item.keyId!,
      ':active': { S: 'active' },
      ':plan': previous.plan!,
      ':perMinute': previous.perMinute!,
      ':perDay': previous.perDay!,
    },
  };
  try {
    await store.dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: [{ Put: put }, { Update: update }] }),
    );
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    throw new WrongStateError(
      `${previous.keyId!.S} was changed by somebody else meanwhile; nothing was rotated: run the ` +
        'command again',
      { cause: error },
    );
  }
}

function refuseUnlessRotatable(item: KeyItem, nowMs: number): void {
  const { keyId, status } = summarizeKey(item, nowMs);
  if (status !== 'active') {
    throw new WrongStateError(
      `${keyId} is ${status} and cannot be rotated; "keys issue" makes its owner a new one`,
    );
  }
  const replacement = item.replacedBy?.S;
  if (replacement) {
    throw new WrongStateError(
      `${keyId} was rotated before and is replaced by ${replacement}; rotate that one`,
    );
  }
}
