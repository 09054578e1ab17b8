import { readFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  reasonOf,
} from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { comparableNumber } from './attribute-json.ts';
import type { OrderItem } from './order-record.ts';

/** A file of orders, and how to read and report it. */
export interface OrdersSource {
  /** `-` for standard input. */
  readonly path: string;
  /** @default - it cannot be read */
  readonly stdin?: Readable;
  readonly signal: AbortSignal;
  /** Called with a text about a line. */
  tell(text: string): void;
}

/** An order, and the number of its line if it is in a file, from 1. */
export interface OrderLine {
  readonly line?: number;
  readonly order: OrderItem;
}

/** The orders of a file. All of them were read and checked. */
export interface CheckedOrders {
  readonly count: number;
  lines(): Iterable<OrderLine>;
}

const mostBadLinesShown = 20;
/** The number of lines that are read between two looks at the signal. */
const linesPerTurn = 1_000;

/** Reads and checks every line of a file, which stays in memory. @throws OperatorError if a line is bad */
export async function readOrders(
  source: OrdersSource,
  parse: (text: string) => OrderItem,
): Promise<CheckedOrders> {
  const { path, signal, tell } = source;
  const content = await contentOf(source);
  const firstLines = new Map<string, number>();
  let bad = 0;
  for (const { line, bytes } of linesOf(content)) {
    if (line % linesPerTurn === 0) {
      await nextTurn();
      if (signal.aborted) throw interrupted();
    }
    try {
      const key = comparableNumber(parse(textOf(bytes)).id.N!)!;
      const first = firstLines.get(key);
      if (first) throw new OperatorError(`the id is already on line ${first}`);
      firstLines.set(key, line);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      if (++bad <= mostBadLinesShown) tell(`line ${line}: ${error.message}`);
    }
  }
  const remedy = 'nothing was written: correct the file';
  if (bad > 0) {
    const shown = bad > mostBadLinesShown ? ` (the first ${mostBadLinesShown} are shown)` : '';
    const found = `${counted(bad, 'bad line')}${shown} and ${counted(firstLines.size, 'good line')}`;
    throw new OperatorError(`${path}: ${found}`, { remedy });
  }
  if (firstLines.size === 0) throw new OperatorError(`${path}: no orders`, { remedy });
  return {
    count: firstLines.size,
    *lines() {
      for (const { line, bytes } of linesOf(content)) yield { line, order: parse(textOf(bytes)) };
    },
  };
}

async function contentOf({ path, stdin, signal }: OrdersSource): Promise<Buffer> {
  try {
    if (path !== '-' || !stdin) return await readFile(path, { signal });
    return await buffer(addAbortSignal(signal, stdin));
  } catch (error) {
    if (signal.aborted) throw interrupted();
    throw new InvalidValueError('file', path, `a file of orders (${reasonOf(error)})`);
  }
}

const interrupted = () =>
  new InterruptedError('interrupted: nothing was written', { remedy: 'run the command again' });

/** The lines that are not blank. */
function* linesOf(content: Buffer) {
  for (let line = 1, start = 0; start < content.length; line++) {
    const end = content.indexOf('\n', start);
    const bytes = content.subarray(start, end < 0 ? content.length : end);
    if (bytes.some((byte) => !blank.includes(byte))) yield { line, bytes };
    start += bytes.length + 1;
  }
}

const blank = [...Buffer.from(' \t\r')];
const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new OperatorError('is not UTF-8 text', { cause });
  }
}
