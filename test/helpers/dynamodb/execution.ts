import {
  ConditionalCheckFailedException,
  GetItemCommand,
  type UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { attributes, plain } from './attribute-values.ts';
import { isMet, updated } from './expressions.ts';

export type Command = GetItemCommand | UpdateItemCommand;

/** The result of a command: the item after it, and the response or the error of a failed condition. */
export interface Execution {
  item: Item | undefined;
  answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException;
}

/** Executes a command on an item, which is undefined if there is none. */
export function execute(item: Item | undefined, command: Command): Execution {
  if (command instanceof GetItemCommand) return { item, answer: item ? { Item: item } : {} };
  const { Key, ExpressionAttributeValues, ...input } = command.input;
  const write = {
    ...input,
    Key: plain(Key!),
    ExpressionAttributeValues: plain(ExpressionAttributeValues!),
  };
  const before = item && plain(item);
  if (isMet(write, before)) {
    const after = attributes(updated(write, before));
    return { item: after, answer: input.ReturnValues === 'ALL_NEW' ? { Attributes: after } : {} };
  }
  const isShown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && item;
  const answer = new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: {},
    ...(isShown && { Item: item }),
  });
  return { item, answer };
}
