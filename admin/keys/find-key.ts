import { type AttributeValue, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { isKeyId } from '../../shared/api-key-token.ts';
import { InvalidValueError, NotFoundError, OperatorError } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';

export type KeyItem = Record<string, AttributeValue>;

const keyIdIndex = 'keyId-index';

/**
 * A key's item, as it is now.
 * @throws OperatorError when the id is malformed, or no key has it
 */
export async function findKey(keyId: string, store: KeyStore): Promise<KeyItem> {
  const item = await lookUpKey(keyId, store);
  if (item) return item;
  throw new NotFoundError(
    `No key has the id ${keyId}; "keys list" shows those there are (one issued a second ago may ` +
      'not be found yet: run the command again)',
  );
}

/** A key's item, or undefined where there is none. @throws OperatorError for a malformed id */
export async function lookUpKey(keyId: string, store: KeyStore): Promise<KeyItem | undefined> {
  refuseMalformed(keyId);
  const found = await store.dynamodb.send(
    new QueryCommand({
      TableName: store.apiKeysTable,
      IndexName: keyIdIndex,
      KeyConditionExpression: 'keyId = :keyId',
      ExpressionAttributeValues: { ':keyId': { S: keyId } },
    }),
  );
  const keyHash = found.Items?.[0]?.keyHash;
  if (!keyHash) return undefined;
  // The index holds keys only, and follows the table with a delay.
  const { Item } = await store.dynamodb.send(
    new GetItemCommand({ TableName: store.apiKeysTable, Key: { keyHash }, ConsistentRead: true }),
  );
  return Item;
}

function refuseMalformed(keyId: string): void {
  if (isKeyId(keyId)) return;
  if (/^so_(live|test)_/.test(keyId)) {
    // It is not repeated: errors end up in logs.
    throw new OperatorError(
      'key id: this is a bearer token, which belongs on no command line; give the key id, "key_…"',
    );
  }
  throw new InvalidValueError(
    'key id',
    keyId,
    'a whole one, "key_" and 32 characters, as "keys list" shows it',
  );
}
