import {
  ConditionalCheckFailedException,
  GetItemCommand,
  type UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { Expressions, type Item } from './expressions.ts';

export type Command = GetItemCommand | UpdateItemCommand;

/** An item before and after a successful write. */
interface Change {
  before: Item;
  after: Item;
}

/**
 * A table with the partition key `ownerHash` that supports only `GetItem` and `UpdateItem`. Like
 * DynamoDB for a single item, it executes them one after the other. Responses are asynchronous, so
 * that requests interleave.
 */
export class InMemoryTable {
  readonly items = new Map<string, Item>();
  /** All states of the item, in order. */
  readonly versions: Item[] = [];
  /** The successful writes, in order. */
  readonly changes: Change[] = [];

  /** Puts an item without a condition. */
  put(item: Item): void {
    this.items.set(item.ownerHash?.S ?? '', item);
    this.versions.push(item);
  }

  async send(command: Command) {
    await Promise.resolve();
    const answer = this.execute(command);
    await Promise.resolve();
    return answer;
  }

  /** Executes a command synchronously. @throws ConditionalCheckFailedException */
  execute(command: Command) {
    const answer =
      command instanceof GetItemCommand
        ? { Item: this.items.get(command.input.Key?.ownerHash?.S ?? '') }
        : { Attributes: this.#update(command.input) };
    return { ...answer, $metadata: {} };
  }

  #update(input: UpdateItemCommandInput): Item {
    const ownerHash = input.Key?.ownerHash?.S ?? '';
    const found = this.items.get(ownerHash);
    const item = found ?? { ...input.Key };
    const expressions = new Expressions({
      names: input.ExpressionAttributeNames ?? {},
      values: input.ExpressionAttributeValues ?? {},
    });
    const isMet = expressions.isMet(input.ConditionExpression ?? '', item);
    if (!isMet) throw conditionFailed(input, found);
    const updated = expressions.updated(input.UpdateExpression ?? '', item);
    expressions.assertAllUsed();
    this.put(updated);
    this.changes.push({ before: item, after: updated });
    return input.ReturnValues === 'ALL_NEW' ? updated : {};
  }
}

function conditionFailed(input: UpdateItemCommandInput, Item: Item | undefined): Error {
  const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  return new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: {},
    ...(isAsked && { Item }),
  });
}
