import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { KeyStore } from '../stage/key-store.ts';
import { type KeySummary, summarizeKey } from './key-description.ts';

const summaryAttributes = [
  'keyId',
  'owner',
  'plan',
  'status',
  'perMinute',
  'perDay',
  'createdAt',
  'expiresAt',
  'bannedUntil',
];

/** Every key of the stage, read page by page, the newest first. */
export async function listKeys(store: KeyStore): Promise<KeySummary[]> {
  const pages = paginateScan(
    { client: store.dynamodb },
    {
      TableName: store.apiKeysTable,
      ProjectionExpression: summaryAttributes.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(
        summaryAttributes.map((name) => [`#${name}`, name]),
      ),
    },
  );
  const keys: KeySummary[] = [];
  for await (const page of pages) {
    for (const item of page.Items ?? []) keys.push(summarizeKey(item, store.now()));
  }
  return keys.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}
