import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { WrongStateError } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey } from './find-key.ts';
import { describeKey, type KeyDescription } from './key-description.ts';

/**
 * Lifts a key's ban and forgives what it was banned for. Its limits stay used as they are. Lifting
 * a ban that is not there is no error.
 *
 * @throws OperatorError when there is no such key, or it is revoked
 */
export async function unbanKey(
  keyId: string,
  store: KeyStore,
): Promise<KeyDescription & { wasBanned: boolean }> {
  const before = await findKey(keyId, store);
  const { status, bannedUntil } = describeKey(before, store.now());
  if (status === 'revoked') {
    throw new WrongStateError(`${keyId} is revoked for good: lifting a ban would change nothing`);
  }
  const { Attributes } = await store.dynamodb.send(
    new UpdateItemCommand({
      TableName: store.apiKeysTable,
      Key: { keyHash: before.keyHash! },
      // The count stays an attribute, at 0 as on the first day: the authorizer compares with it.
      UpdateExpression: 'REMOVE bannedUntil SET rejectionCount = :none',
      ConditionExpression: 'attribute_exists(keyHash)',
      ExpressionAttributeValues: { ':none': { N: '0' } },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return { ...describeKey(Attributes!, store.now()), wasBanned: bannedUntil !== null };
}
