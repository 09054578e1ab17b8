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
import {
  type Document,
  isMet,
  updated,
  type Write,
} from '../../../test/helpers/dynamodb/expressions.ts';

/**
 * Tables in memory behind the document client, with the commands and the expressions that the
 * operator's commands on owners and keys use; anything else is an error. interrupted.test.ts runs each
 * of those commands on the embedded database as well, which decides whether an expression is valid.
 */
export class InMemoryTables {
  readonly documents: DynamoDBDocumentClient = Object.create(DynamoDBDocumentClient.prototype, {
    send: { value: (command: object) => this.#send(command), configurable: true },
  });
  #items = new Map<string, Document>();

  readAll(table: string): Document[] {
    const found = [...this.#items].filter(([place]) => place.startsWith(`${table}/`));
    return structuredClone(found.map(([, item]) => item));
  }

  clear(): void {
    this.#items.clear();
  }

  /** Returns a function that brings everything into the present state again. */
  snapshot(): () => void {
    const kept = new Map(this.#items);
    return () => {
      this.#items = new Map(kept);
    };
  }

  /** Executes a command at once, and answers later, so that other requests come between. */
  async #send(command: object): Promise<object> {
    await Promise.resolve();
    const isRead = command instanceof GetCommand || command instanceof ScanCommand;
    if (isRead && !command.input.ConsistentRead) throw new Error('the read may be outdated');
    if (command instanceof GetCommand) {
      return { Item: structuredClone(this.#itemOf(command.input)) };
    }
    if (command instanceof ScanCommand) {
      const Items = this.readAll(command.input.TableName!);
      return { Items, Count: Items.length };
    }
    if (command instanceof TransactWriteCommand) {
      const { TransactItems } = stored(command.input);
      const writes = TransactItems!.flatMap((each) => Object.values(each) as Write[]);
      const failed = writes.map((write) => !isMet(write, this.#itemOf(write)));
      if (failed.includes(true)) throw canceled(failed);
      for (const write of writes) this.#carryOut(write);
      return { ConsumedCapacity: [] };
    }
    if (command instanceof UpdateCommand || command instanceof DeleteCommand) {
      const write = stored(command.input);
      const before = this.#itemOf(write);
      if (!isMet(write, before)) throw new ConditionalCheckFailedException(failure);
      this.#carryOut(write);
      const Attributes = write.ReturnValues === 'ALL_OLD' ? before : this.#itemOf(write);
      return { Attributes: structuredClone(Attributes) };
    }
    throw new Error(`not supported: ${command.constructor.name}`);
  }

  #placeOf({ TableName, Key }: Write): string {
    return `${TableName}/${JSON.stringify(Key)}`;
  }

  #itemOf(write: Write): Document | undefined {
    return this.#items.get(this.#placeOf(write));
  }

  #carryOut(write: Write): void {
    const place = this.#placeOf(write);
    if (write.UpdateExpression) this.#items.set(place, updated(write, this.#items.get(place)));
    else this.#items.delete(place);
  }
}

const failure = { message: 'The conditional request failed', $metadata: {} };

function canceled(failed: readonly boolean[]): TransactionCanceledException {
  const CancellationReasons = failed.map((isFailed) => ({
    Code: isFailed ? 'ConditionalCheckFailed' : 'None',
  }));
  return new TransactionCanceledException({ ...failure, CancellationReasons });
}

/** An input with its values as they are stored, without members that are undefined. */
function stored<T>(input: T): T {
  return JSON.parse(JSON.stringify(input));
}
