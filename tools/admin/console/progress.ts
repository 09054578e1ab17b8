import { printable } from '../../shared/printable.ts';
import type { CommandIo } from './command-io.ts';

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
