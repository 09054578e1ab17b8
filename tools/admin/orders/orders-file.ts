import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Item } from '../../../lambdas/contract/item.ts';
import {
  InvalidValueError,
  OperatorError,
  quoted,
  reasonOf,
  shortened,
} from '../../shared/errors.ts';
import { unlessInterrupted } from '../stage/interruption.ts';
import { attributeOf, expectedOf, isAccepted, isField, jsonOf } from './order-values.ts';

const nothingWritten = {
  remedy:
    'nothing was written: correct the file, which has an order such as {"id":1001} on each line',
};

/**
 * Reads new orders, one JSON object on each line.
 *
 * @param stdin the stream that the path `-` names. @default - `-` is a file
 * @throws OperatorError with the first bad line; InterruptedError
 */
export async function readOrders(
  path: string,
  interruption: AbortSignal,
  stdin?: Readable,
): Promise<Item[]> {
  const content = await unlessInterrupted(
    () => contentOf(path, path === '-' ? stdin : undefined),
    interruption,
  );
  const lineOf = new Map<string, number>();
  const orders = content.split('\n').flatMap((each, index): Item[] => {
    // This also removes the byte order mark at the start of a text from Windows.
    const line = each.trim();
    if (line === '') return [];
    try {
      const order = orderOf(line);
      const id = order.id!.N!;
      const first = lineOf.get(id);
      if (first) throw new OperatorError(`the id is already on line ${first}`);
      lineOf.set(id, index + 1);
      return [order];
    } catch (error) {
      // A message of JSON.parse also ends with a line, which is always 1 here.
      const reason = reasonOf(error).replace(/ \(line 1 column \d+\)$/, '');
      throw new OperatorError(`${path}: line ${index + 1}: ${reason}`, nothingWritten);
    }
  });
  if (orders.length === 0) throw new OperatorError(`${path}: no orders`, nothingWritten);
  return orders;
}

async function contentOf(path: string, stdin: Readable | undefined): Promise<string> {
  try {
    return await (stdin ? text(stdin) : readFile(path, 'utf8'));
  } catch (error) {
    throw new InvalidValueError('file', path, `a file of orders (${reasonOf(error)})`);
  }
}

/** Parses a line. @throws Error if it is not an order that can be created */
function orderOf(line: string): Item {
  const order: Item = JSON.parse(line, attributeOf);
  for (const [name, value] of Object.entries({ id: undefined, ...order })) {
    if (!isField(name)) throw new OperatorError(`${quoted(name)}: an order has no such field`);
    if (value && isAccepted(name, value)) continue;
    const found = value ? `${shortened(JSON.stringify(jsonOf(value)))} is not accepted` : 'missing';
    throw new OperatorError(`${name}: ${found}; expected ${expectedOf(name)}`);
  }
  const { complete, status = { S: complete?.BOOL ? 'shipped' : 'pending' } } = order;
  if (complete && complete.BOOL !== (status.S === 'shipped')) {
    throw new OperatorError(`complete is ${complete.BOOL}, but status is "${status.S}"`);
  }
  return { ...order, status };
}
