import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { HalfDoneError, NotFoundError, reasonOf } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { type KeyItem, lookUpKey } from './find-key.ts';
import { deleteGatewayKeys } from './issue-key.ts';

export interface Revocation {
  keyId: string;
  /** False when the key had been revoked before, and this run only made sure of it. */
  wasActive: boolean;
}

/**
 * Revokes a key: its DynamoDB item first, from which moment on the token is refused, then its API
 * Gateway key. Revoking again is no error and repairs a revocation that stopped between the two; an
 * API Gateway key that an interrupted issue left behind goes the same way.
 *
 * @throws OperatorError when there is nothing of that id, or one of the two services fails
 */
export async function revokeKey(keyId: string, store: KeyStore): Promise<Revocation> {
  const item = await lookUpKey(keyId, store);
  if (item) await markRevoked(item, store);
  const deleted = await deleteCounterpart(keyId, store, item !== undefined);
  if (!item && deleted === 0) {
    throw new NotFoundError(`No key has the id ${keyId}; "keys list" shows those there are`);
  }
  return { keyId, wasActive: item?.status?.S === 'active' };
}

async function markRevoked(item: KeyItem, store: KeyStore): Promise<void> {
  if (item.status?.S === 'revoked') return;
  await store.dynamodb.send(
    new UpdateItemCommand({
      TableName: store.apiKeysTable,
      Key: { keyHash: item.keyHash! },
      UpdateExpression: 'SET #status = :revoked, revokedAt = :now',
      ConditionExpression: 'attribute_exists(keyHash)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':revoked': { S: 'revoked' },
        ':now': { S: new Date(store.now()).toISOString() },
      },
    }),
  );
}

async function deleteCounterpart(
  keyId: string,
  store: KeyStore,
  isRefused: boolean,
): Promise<number> {
  try {
    return await deleteGatewayKeys(keyId, store);
  } catch (error) {
    const state = isRefused ? `${keyId} is revoked and its token refused already` : keyId;
    throw new HalfDoneError(
      `${state}; its API Gateway key could not be deleted: ${reasonOf(error)}; run the command again`,
      { cause: error },
    );
  }
}
