/** An action on a resource that must be allowed for a call. */
interface Permission {
  /** The IAM action, such as `dynamodb:UpdateItem`. */
  readonly action: string;
  /** The ARN of a table or an index. */
  readonly resource: string;
}

interface Input {
  readonly TableName?: unknown;
  readonly IndexName?: unknown;
  readonly RequestItems?: unknown;
  readonly TransactItems?: unknown;
}

type TransactItem = Readonly<Record<string, { readonly TableName?: unknown } | undefined>>;

/** The actions of a transaction's parts. A transaction has no action of its own. */
const actionsOfParts: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

/**
 * All permissions that a call with items needs. An empty result means that they cannot be determined,
 * as for a PartiQL statement or a call without a table, and that the call has to be denied.
 *
 * @param operation the DynamoDB operation, such as `UpdateItem`
 * @param input the call's body, parsed
 * @param tablesArn the part of a table's ARN before the table's name, ending in `table/`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function requiredPermissions(
  operation: string,
  input: unknown,
  tablesArn: string,
): Permission[] {
  const { TableName, IndexName, RequestItems, TransactItems } = (input ?? {}) as Input;
  const permission = (action: string, resource: string) => ({
    action: `dynamodb:${action}`,
    resource,
  });
  const arnOf = (table: string) => (table.startsWith('arn:') ? table : `${tablesArn}${table}`);
  if (operation === 'TransactGetItems' || operation === 'TransactWriteItems') {
    return partsOf(TransactItems).map(([action, table]) => permission(action, arnOf(table)));
  }
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.keys(RequestItems ?? {}).map((table) => permission(operation, arnOf(table)));
  }
  if (!isText(TableName)) return [];
  const index = isText(IndexName) ? `/index/${IndexName}` : '';
  return [permission(operation, `${arnOf(TableName)}${index}`)];
}

/** The action and the table of each part; empty when one of them cannot be determined. */
function partsOf(items: unknown): [action: string, table: string][] {
  if (!Array.isArray(items)) return [];
  const parts = (items as TransactItem[]).flatMap((item) =>
    Object.entries(item ?? {}).map(([kind, part]) => [actionsOfParts[kind], part?.TableName]),
  );
  return parts.every((part): part is [string, string] => part.every(isText)) ? parts : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
