import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  type ScanCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** Values by the paths of attributes, such as `status` or `keys.key_1.label`. */
type Attributes = Readonly<Record<string, unknown>>;

type Test = (path: string, placeholder: (value: unknown) => string) => string;

/** The required values of attributes, or tests of the attributes, by their paths. */
export type Condition = Readonly<Record<string, Test | string | number | object>>;

/** Tests that an attribute is present. */
export const present: Test = (path) => `attribute_exists(${path})`;

/** Tests that an attribute is absent. */
export const absent: Test = (path) => `attribute_not_exists(${path})`;

/** Tests that an attribute still has the value that was read. If this value is undefined, tests that it is absent. */
export const unchanged =
  (value: unknown): Test =>
  (path, placeholder) =>
    value === undefined ? absent(path, placeholder) : `${path} = ${placeholder(value)}`;

/** A change of an item, and its condition. */
export interface Update {
  /** The new values. Undefined removes an attribute. */
  readonly set?: Attributes;
  readonly where?: Condition;
}

/** A change in a transaction. */
export type TransactionPart = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

interface Documents {
  readonly documents: DynamoDBDocumentClient;
}

/** Makes all changes, or none if a condition fails. Returns whether the changes were made. */
export async function changeTogether(
  parts: readonly TransactionPart[],
  { documents }: Documents,
): Promise<boolean> {
  try {
    await documents.send(new TransactWriteCommand({ TransactItems: [...parts] }));
    return true;
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : [];
    if (reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false;
    throw error;
  }
}

/** Formats a change for DynamoDB. */
export function expressions(change: Update & { table: string; key: Attributes }) {
  const { table, key, set = {}, where = {} } = change;
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const pathName = (path: string) =>
    path.replaceAll(/[^.]+/g, (name) => placeholder(names, '#', name));
  const valueName = (value: unknown) => placeholder(values, ':', value);
  const sets = Object.entries(set)
    .filter(([, value]) => value !== undefined)
    .map(([path, value]) => `${pathName(path)} = ${valueName(value)}`);
  const removals = Object.keys(set)
    .filter((path) => set[path] === undefined)
    .map(pathName);
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
  ];
  const conditions = Object.entries(where).map(([path, test]) => {
    const isTest = typeof test === 'function';
    return (isTest ? (test as Test) : unchanged(test))(pathName(path), valueName);
  });
  return {
    TableName: table,
    Key: key,
    // A deletion has no update expression, and an update may have no condition.
    UpdateExpression: (clauses.join(' ') || undefined)!,
    ConditionExpression: (conditions.join(' AND ') || undefined)!,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
  };
}

/** Adds a placeholder for a name or a value. */
function placeholder(map: Record<string, unknown>, prefix: string, value: unknown): string {
  const name = `${prefix}${Object.keys(map).length}`;
  map[name] = value;
  return name;
}

/** Reads an item; undefined if there is none. */
export async function readItem<T>(
  TableName: string,
  Key: Record<string, string>,
  { documents }: Documents,
): Promise<T | undefined> {
  const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item as T | undefined;
}

/** Reads the items of a table. */
export async function readItems<T extends object>(
  TableName: string,
  { documents: client }: Documents,
  filter: Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeValues'> = {},
): Promise<T[]> {
  const pages = paginateScan({ client }, { TableName, ConsistentRead: true, ...filter });
  const items = await Array.fromAsync(pages, ({ Items = [] }) => Items as T[]);
  return items.flat() as T[];
}
