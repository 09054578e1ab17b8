import { printable } from '../../shared/printable.ts';
import { type CommandIo, print } from './command-io.ts';
import { counted, grouped } from './view.ts';

/** Shows the progress of a command in one line on a terminal. In the log of a job, it prints a line every minute. */
export function progressLine({ stderr, now }: CommandIo) {
  const { isTTY } = stderr;
  const everyMs = isTTY ? 125 : 60_000;
  let drawnMs = isTTY ? Number.NEGATIVE_INFINITY : now();
  const clear = () => {
    if (isTTY) stderr.write('\r\x1b[K');
  };
  return {
    draw: (text: string) => {
      if (now() - drawnMs < everyMs) return;
      drawnMs = now();
      stderr.write(isTTY ? `\r\x1b[K${printable(text)}` : `${printable(text)}\n`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

/** Shows how many orders of a file are done and when all will be, and prints what is wrong with its lines. */
export function orderProgress(io: CommandIo, path: string) {
  const line = progressLine(io);
  let [step, startedMs] = ['', 0];
  const tell = (text: string) => {
    line.clear();
    print(io.stderr, `${path}: ${text}`);
  };
  return {
    ...line,
    path,
    stdin: io.stdin,
    signal: io.interruption,
    onBadLine: tell,
    onDifference: tell,
    onProgress: (done: string, orders: number, all?: number) => {
      if (done !== step) [step, startedMs] = [done, io.now()];
      if (all === undefined) return line.draw(`${counted(orders, 'order')} ${done}`);
      const seconds = Math.ceil(((io.now() - startedMs) / 1_000 / orders) * (all - orders));
      const left = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
      line.draw(`${grouped(orders)} of ${counted(all, 'order')} ${done}, ${left} left`);
    },
  };
}
