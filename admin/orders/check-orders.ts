import { type BadLineError, OperatorError } from '../../shared/errors.ts';
import type { OrderLine } from './orders-file.ts';

export interface CheckResult {
  orders: number;
  badLines: number;
}

/**
 * Reads all lines of an orders file without loading them.
 *
 * @param onBadLine called for each bad line
 * @param onRead called after each line with the number of bytes read so far
 * @throws OperatorError when the signal is aborted
 */
export async function checkOrders(
  lines: AsyncIterable<OrderLine>,
  onBadLine: (error: BadLineError) => void,
  onRead: (bytes: number, orders: number) => void = () => {},
  signal?: AbortSignal,
): Promise<CheckResult> {
  const result = { orders: 0, badLines: 0 };
  for await (const line of lines) {
    if (signal?.aborted) throw new OperatorError('interrupted while checking; nothing was loaded');
    if ('order' in line) {
      result.orders++;
    } else {
      result.badLines++;
      onBadLine(line.error);
    }
    onRead(line.end.offset, result.orders);
  }
  return result;
}
