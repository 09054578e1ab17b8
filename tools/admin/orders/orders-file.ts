import { readFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Item } from '../../../lambdas/contract/item.ts';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  quoted,
  reasonOf,
  shortened,
} from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { attributeOf, expectedOf, isAccepted, isField, parseExactly } from './order-values.ts';

/** A file of orders. */
export interface OrdersFile {
  /** The path, or `-` for standard input. */
  readonly path: string;
  /** @default - standard input cannot be read */
  readonly stdin?: Readable;
  readonly signal: AbortSignal;
  /** Shows a text about a bad line. */
  tell(text: string): void;
}

const mostBadLinesShown = 20;

/** Reads new orders, one JSON object on each line. @throws OperatorError if a line is bad; InterruptedError */
export async function readOrders(file: OrdersFile): Promise<Item[]> {
  const lines = (await contentOf(file)).split('\n');
  const firstLines = new Map<string, number>();
  let bad = 0;
  const orders = lines.flatMap((each, index): Item[] => {
    // This also removes the byte order mark at the start of a text from Windows.
    const line = each.trim();
    if (line === '') return [];
    try {
      const order = orderOf(line);
      const first = firstLines.get(order.id!.N!);
      if (first) throw new OperatorError(`the id is already on line ${first}`);
      firstLines.set(order.id!.N!, index + 1);
      return [order];
    } catch (error) {
      if (++bad <= mostBadLinesShown) file.tell(`line ${index + 1}: ${reasonOf(error)}`);
      return [];
    }
  });
  if (bad === 0 && orders.length > 0) return orders;
  const shown = bad > mostBadLinesShown ? ` (the first ${mostBadLinesShown} are shown)` : '';
  const problem = bad > 0 ? `${counted(bad, 'bad line')}${shown}` : 'no orders';
  const remedy = 'nothing was written: correct the file';
  throw new OperatorError(`${file.path}: ${problem}`, { remedy });
}

async function contentOf({ path, stdin, signal }: OrdersFile): Promise<string> {
  try {
    if (path !== '-' || !stdin) return await readFile(path, { encoding: 'utf8', signal });
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    if (signal.aborted) throw new InterruptedError('interrupted: nothing was changed');
    throw new InvalidValueError('file', path, `a file of orders (${reasonOf(error)})`);
  }
}

/** Parses a line. @throws Error if it is not an order that can be created */
function orderOf(line: string): Item {
  const values = parseExactly(line);
  if (Object.getPrototypeOf(Object(values)) !== Object.prototype) {
    throw new OperatorError('expected an order such as {"id":1001,"petId":7}');
  }
  const order: Item = {};
  for (const [name, value] of Object.entries({ id: undefined, ...(values as object) })) {
    if (!isField(name)) throw new OperatorError(`${quoted(name)}: an order has no such field`);
    order[name] = attributeOf(value);
    if (isAccepted(name, order[name])) continue;
    const found =
      value === undefined ? 'missing' : `${shortened(JSON.stringify(value))} is not accepted`;
    throw new OperatorError(`${name}: ${found}; expected ${expectedOf(name)}`);
  }
  const { complete, status = { S: complete?.BOOL ? 'shipped' : 'pending' } } = order;
  if (complete && complete.BOOL !== (status.S === 'shipped')) {
    throw new OperatorError(`complete is ${complete.BOOL}, but status is "${status.S}"`);
  }
  return { ...order, status };
}
