import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  paginateScan,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { UnconfirmedError } from './service-failure.ts';

/*
 * A call counts as done only if DynamoDB's answer shows it: an update returns the item, a transaction
 * what it has consumed, a page of a scan the number of its items. An empty answer with status 200, as
 * a proxy between may give it, shows nothing.
 */

/** What has the client of the tables. */
interface Documents {
  readonly documents: DynamoDBDocumentClient;
}

/** A conditional UpdateItem, with DynamoDB's expressions. */
export interface Change {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly update: string;
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Whether to return the item before the change. @default - returns it after the change */
  readonly returnsOld?: boolean;
}

/**
 * Makes a change. Returns the item, or undefined when the condition fails.
 *
 * @throws UnconfirmedError when the answer does not contain the item
 */
export async function change<T>(
  { table, key, update, condition, names, values, returnsOld }: Change,
  { documents }: Documents,
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
  try {
    const { Attributes } = await documents.send(command);
    if (!Attributes) throw new UnconfirmedError('UpdateItem');
    return Attributes as T;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/**
 * The expressions of an update that sets attributes.
 *
 * @param map the path of the map that they are in, with its names as placeholders. @default - the item
 */
export function settingAll(
  attributes: Readonly<Record<string, unknown>>,
  map?: string,
): Required<Pick<Change, 'update' | 'names' | 'values'>> {
  const names = Object.keys(attributes);
  const path = map === undefined ? '' : `${map}.`;
  return {
    update: `SET ${names.map((name) => `${path}#${name} = :${name}`).join(', ')}`,
    names: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    values: Object.fromEntries(names.map((name) => [`:${name}`, attributes[name]])),
  };
}

/** Makes several changes or none. Returns false, with none made, when a condition fails. */
export async function changeTogether(
  TransactItems: TransactWriteCommandInput['TransactItems'],
  { documents }: Documents,
): Promise<boolean> {
  const ReturnConsumedCapacity = 'TOTAL';
  const command = new TransactWriteCommand({ TransactItems, ReturnConsumedCapacity });
  try {
    const { ConsumedCapacity } = await documents.send(command);
    if (!ConsumedCapacity) throw new UnconfirmedError('TransactWriteItems');
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const { CancellationReasons: reasons = [] } = error;
    if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false;
    throw error;
  }
}

/**
 * Reads a table page by page, with consistent reads.
 *
 * @throws UnconfirmedError when a page lacks items, which can be valid JSON where it was truncated
 */
export async function* scanPages<T extends object = Record<string, unknown>>(
  client: DynamoDBDocumentClient,
  TableName: string,
): AsyncGenerator<T[]> {
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    const { Items = [], Count } = page;
    if (Items.length !== Count) throw new UnconfirmedError('Scan');
    yield Items as T[];
  }
}
