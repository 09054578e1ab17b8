import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { KeyStore } from './key-store.ts';

/** A conditional UpdateItem, with DynamoDB's expressions. */
export interface Change {
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
  readonly update: string;
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Whether to return the item before the change. @default - returns it after the change */
  readonly returnsOld?: boolean;
}

/** Makes a change. Returns the item, or undefined when the condition fails. */
export async function change<T>(
  { table, key, update, condition, names, values, returnsOld }: Change,
  { documents }: KeyStore,
): Promise<T | undefined> {
  const command = new UpdateCommand({
    TableName: table,
    Key: key,
    UpdateExpression: update,
    ConditionExpression: condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValues: returnsOld ? 'ALL_OLD' : 'ALL_NEW',
  });
  return unlessConditionFails(async () => (await documents.send(command)).Attributes as T);
}

/** Changes an owner's item in the Owners table, if the owner exists. */
export async function changeDetails(
  ownerId: string,
  { update, names, values }: Pick<Change, 'update' | 'names' | 'values'>,
  store: KeyStore,
): Promise<void> {
  const condition = 'attribute_exists(ownerId)';
  const table = store.ownersTable;
  await change({ table, key: { ownerId }, update, condition, names, values }, store);
}

/** Puts an item unless one with its key exists. Returns whether the item was put. */
export async function putNew(
  table: string,
  item: object,
  keyName: string,
  { documents }: KeyStore,
): Promise<boolean> {
  const command = new PutCommand({
    TableName: table,
    Item: { ...item },
    ConditionExpression: `attribute_not_exists(${keyName})`,
  });
  return (await unlessConditionFails(() => documents.send(command))) !== undefined;
}

/** Makes several changes or none. Returns false, with none made, when a condition fails. */
export async function changeTogether(
  TransactItems: TransactWriteCommandInput['TransactItems'],
  { documents }: KeyStore,
): Promise<boolean> {
  try {
    await documents.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const { CancellationReasons: reasons = [] } = error;
    if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false;
    throw error;
  }
}

async function unlessConditionFails<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
