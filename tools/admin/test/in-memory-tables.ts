import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

// biome-ignore lint/suspicious/noExplicitAny: an attribute can be anything
export type Document = Record<string, any>;

/** The input of any write: of an update or a deletion. */
interface Write {
  readonly TableName?: string | undefined;
  readonly Key?: Document | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Document | undefined;
}

/**
 * Tables in memory behind the document client, with the commands and the expressions that the
 * operator's commands on owners and keys use; anything else is an error. interrupted.test.ts runs each
 * of those commands on the embedded database as well, which decides whether an expression is valid.
 */
export class InMemoryTables {
  readonly documents: DynamoDBDocumentClient = Object.create(DynamoDBDocumentClient.prototype, {
    send: { value: (command: object) => this.#send(command), configurable: true },
  });
  readonly #keyNames: Readonly<Record<string, string>>;
  #items = new Map<string, Document>();

  /** @param keyNames the name of the partition key of each table */
  constructor(keyNames: Readonly<Record<string, string>>) {
    this.#keyNames = keyNames;
  }

  readAll(table: string): Document[] {
    const found = [...this.#items].filter(([place]) => place.startsWith(`${table}/`));
    return structuredClone(found.map(([, item]) => item));
  }

  clear(): void {
    this.#items.clear();
  }

  /** Returns a function that brings everything into the present state again. */
  snapshot(): () => void {
    const kept = structuredClone(this.#items);
    return () => {
      this.#items = structuredClone(kept);
    };
  }

  /** Executes a command at once, and answers later, so that other requests come between. */
  async #send(command: object): Promise<object> {
    await Promise.resolve();
    if (command instanceof GetCommand) {
      return { Item: structuredClone(this.#items.get(this.#placeOf(command.input))) };
    }
    if (command instanceof ScanCommand) {
      const Items = this.readAll(command.input.TableName!);
      return { Items, Count: Items.length };
    }
    if (command instanceof TransactWriteCommand) {
      const writes = command.input.TransactItems!.flatMap((each) => Object.values(each) as Write[]);
      const failed = writes.map((write) => !this.#isMet(write));
      if (failed.includes(true)) throw canceled(failed);
      for (const write of writes) this.#carryOut(write);
      return { ConsumedCapacity: [] };
    }
    if (command instanceof UpdateCommand || command instanceof DeleteCommand) {
      const { input } = command;
      if (!this.#isMet(input)) throw new ConditionalCheckFailedException(failure);
      const before = this.#items.get(this.#placeOf(input));
      const after = this.#carryOut(input);
      return { Attributes: input.ReturnValues === 'ALL_OLD' ? before : structuredClone(after) };
    }
    throw new Error(`not supported: ${command.constructor.name}`);
  }

  #placeOf({ TableName = '', Key }: Write): string {
    return `${TableName}/${Key![this.#keyNames[TableName]!]}`;
  }

  /** Returns the item as it is then; undefined when it is deleted. */
  #carryOut(write: Write): Document | undefined {
    const place = this.#placeOf(write);
    const before = this.#items.get(place) ?? { ...write.Key };
    const after = write.UpdateExpression && updated(before, write);
    if (after) this.#items.set(place, after);
    else this.#items.delete(place);
    return after || undefined;
  }

  #isMet(write: Write): boolean {
    const { ConditionExpression: condition } = write;
    if (condition === undefined) return true;
    const item = this.#items.get(this.#placeOf(write)) ?? {};
    const isMet = (test: string) => isTestMet(test, item, write);
    return condition.split(' OR ').some((each) => each.split(' AND ').every(isMet));
  }
}

const failure = { message: 'The conditional request failed', $metadata: {} };

function canceled(failed: readonly boolean[]): TransactionCanceledException {
  const CancellationReasons = failed.map((isFailed) => ({
    Code: isFailed ? 'ConditionalCheckFailed' : 'None',
  }));
  return new TransactionCanceledException({ ...failure, CancellationReasons });
}

function isTestMet(test: string, item: Document, write: Write): boolean {
  const [, call, path = '', comparison, value] =
    /^(?:(\w+)\()?([\w#.]+)\)?(?: ([=<]) (:\w+))?$/.exec(test) ?? unsupported(test);
  const actual = valueAt(item, namesIn(path, write));
  if (call === 'attribute_exists') return actual !== undefined;
  if (call === 'attribute_not_exists') return actual === undefined;
  const wanted = stored(write.ExpressionAttributeValues)![value!];
  const compared = call === 'size' ? Object.keys(actual ?? {}).length : actual;
  if (comparison === '<') return compared! < wanted;
  return JSON.stringify(compared) === JSON.stringify(wanted);
}

/** The item after an update. Its right-hand sides refer to the item before it. */
function updated(before: Document, write: Write): Document {
  const item = structuredClone(before);
  const values = stored(write.ExpressionAttributeValues) ?? {};
  const [, sets = '', removals = ''] =
    /^(?:SET (.+?))?(?: ?REMOVE (.+))?$/.exec(write.UpdateExpression!) ?? [];
  for (const set of sets === '' ? [] : sets.split(/, (?=[#\w.]+ = )/)) {
    const [, path, absent, value] =
      /^([\w#.]+) = (if_not_exists\(\1, )?(:\w+)\)?$/.exec(set) ?? unsupported(set);
    const { map, name } = placeIn(item, path!, write);
    if (!absent || map[name] === undefined) map[name] = values[value!];
  }
  for (const path of removals === '' ? [] : removals.split(', ')) {
    const { map, name } = placeIn(item, path, write);
    delete map[name];
  }
  return item;
}

function placeIn(item: Document, path: string, write: Write): { map: Document; name: string } {
  const names = namesIn(path, write);
  const map = valueAt(item, names.slice(0, -1));
  if (map === undefined) throw new Error(`ValidationException: the path ${path} is not valid`);
  return { map, name: names.at(-1)! };
}

function namesIn(path: string, { ExpressionAttributeNames: names }: Write): string[] {
  return path.split('.').map((name) => names?.[name] ?? name);
}

function valueAt(item: Document, names: readonly string[]) {
  return names.reduce<Document | undefined>((map, name) => map?.[name], item);
}

/** A value as it is stored, without members that are undefined. */
function stored<T>(value: T): T {
  return value && JSON.parse(JSON.stringify(value));
}

function unsupported(expression: string): never {
  throw new Error(`not supported in an expression: ${expression}`);
}
