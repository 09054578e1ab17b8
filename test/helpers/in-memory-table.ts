import {
  ConditionalCheckFailedException,
  GetItemCommand,
  type UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { Expressions, type Item } from './expressions.ts';

/**
 * A table of items by `ownerHash` that understands `GetItem` and `UpdateItem` alone and does one
 * after another, as DynamoDB does with what concerns one item. Its answer comes later, so that
 * requests interleave.
 */
export class InMemoryTable {
  readonly items = new Map<string, Item>();
  /** Each item as a successful write left it, in order. */
  readonly written: Item[] = [];

  async send(command: GetItemCommand | UpdateItemCommand) {
    await Promise.resolve();
    const answer =
      command instanceof GetItemCommand
        ? { Item: this.items.get(command.input.Key?.ownerHash?.S ?? '') }
        : { Attributes: this.#update(command.input) };
    await Promise.resolve();
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
    this.items.set(ownerHash, updated);
    this.written.push(updated);
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
