import { isDeepStrictEqual } from 'node:util';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  ScanCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;
type Table = Map<string, Item>;

/** One part of a transaction, or a condition alone. */
interface Part {
  readonly TableName: string;
  readonly Key: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

/**
 * A double of the document client, for tests that repeat commands hundreds of times. It knows the expressions of
 * dynamodb-calls.ts, which other tests send to a real database.
 */
export function tablesInMemory() {
  let tables = new Map<string, Table>(['ApiKeys', 'Owners'].map((name) => [name, new Map()]));
  const itemsOf = (name: string) => tables.get(name)!;
  const documents: DynamoDBDocumentClient = Object.create(DynamoDBDocumentClient.prototype);
  Object.assign(documents, { send });
  return {
    documents,
    /** Remembers all items. The returned function restores them. */
    save: () => {
      const saved = structuredClone(tables);
      return () => {
        tables = structuredClone(saved);
      };
    },
  };

  async function send(command: object): Promise<object> {
    if (command instanceof GetCommand) {
      const { TableName, Key } = command.input;
      return { Item: structuredClone(itemsOf(TableName!).get(keyOf(Key!))) };
    }
    if (command instanceof ScanCommand) {
      const { TableName, FilterExpression } = command.input;
      const items = [...itemsOf(TableName!).values()];
      const isListed = (item: Item) => !FilterExpression || String(item.ownerId).startsWith('own_');
      return { Items: structuredClone(items.filter(isListed)) };
    }
    if (!(command instanceof TransactWriteCommand)) throw new Error('an unknown command');
    const parts = command.input.TransactItems!.map(
      (each) => Object.entries(each)[0] as unknown as [kind: string, part: Part],
    );
    const CancellationReasons = parts.map(([, part]) => {
      const item = part.Item ? {} : (itemsOf(part.TableName).get(keyOf(part.Key)) ?? {});
      return { Code: isMet(part, item) ? 'None' : 'ConditionalCheckFailed' };
    });
    if (CancellationReasons.some(({ Code }) => Code !== 'None')) {
      const message = CancellationReasons.map(({ Code }) => Code).join();
      throw new TransactionCanceledException({ message, CancellationReasons, $metadata: {} });
    }
    for (const [kind, part] of parts) carryOut(kind, part);
    return {};
  }

  function carryOut(kind: string, { TableName, Key, Item, ...part }: Part): void {
    const items = itemsOf(TableName);
    if (kind === 'Delete') items.delete(keyOf(Key));
    if (kind === 'Put') items.set(String(Item!.ownerId), structuredClone(Item!));
    if (kind !== 'Update') return;
    const item = items.get(keyOf(Key)) ?? { ...Key };
    items.set(keyOf(Key), item);
    const [, set = '', remove = ''] = /^(?:SET (.*?))?(?: ?REMOVE (.*))?$/.exec(
      part.UpdateExpression!,
    )!;
    for (const clause of set.split(', ').filter(Boolean)) {
      const [path = '', value = ''] = clause.split(' = ');
      const [parent, name] = parentOf(item, path, part);
      // Like DynamoDB, it omits undefined values.
      const text = JSON.stringify(part.ExpressionAttributeValues![value]);
      if (text !== undefined) parent[name] = JSON.parse(text);
    }
    for (const path of remove.split(', ').filter(Boolean)) {
      const [parent, name] = parentOf(item, path, part);
      delete parent[name];
    }
  }
}

const keyOf = (key: Item) => String(Object.values(key)[0]);

/** The map that contains the last name of a path. */
function parentOf(item: Item, path: string, part: Pick<Part, 'ExpressionAttributeNames'>) {
  const names = path.split('.').map((name) => part.ExpressionAttributeNames![name]!);
  const last = names.pop()!;
  const parent = names.reduce((map: Item | undefined, name) => map?.[name] as Item, item);
  if (!parent) throw new Error(`a path without its parent: ${names.join('.')}`);
  return [parent, last] as const;
}

function isMet(part: Omit<Part, 'TableName' | 'Key'>, item: Item): boolean {
  const { ConditionExpression, ExpressionAttributeValues = {} } = part;
  if (!ConditionExpression) return true;
  return ConditionExpression.split(' OR ').some((all) => all.split(' AND ').every(isTrue));

  function isTrue(test: string): boolean {
    const [, call, path = '', comparison, placeholder = ''] =
      /^(?:(\w+)\()?(#[#\d.]+)\)?(?: ([<=]) (:\d+))?$/.exec(test)!;
    const found = path
      .split('.')
      .map((name) => part.ExpressionAttributeNames![name]!)
      .reduce((map: unknown, name) => (map as Item | undefined)?.[name], item);
    if (call === 'attribute_exists') return found !== undefined;
    if (call === 'attribute_not_exists') return found === undefined;
    const value = ExpressionAttributeValues[placeholder];
    if (call !== 'size') return isDeepStrictEqual(found, value);
    const size = Object.keys(found ?? {}).length;
    return comparison === '<' ? size < Number(value) : size === value;
  }
}
