import { printable } from '../../shared/printable.ts';
import type { CommandIo } from './command-io.ts';

const everyMs = 125;

/** Shows the progress of a command in one line of a terminal. */
export function progressLine({ stderr, now }: CommandIo) {
  let drawnMs = stderr.isTTY ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const clear = () => {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  };
  return {
    draw: (text: string) => {
      if (now() - drawnMs < everyMs) return;
      drawnMs = now();
      stderr.write(`\r\x1b[K${printable(text)}`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
