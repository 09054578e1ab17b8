import { printable } from '../../shared/printable.ts';
import type { CommandIo } from './command-io.ts';

const drawnEveryMs = 125;

/** Shows the progress of a command in one line on a terminal. Without a terminal, it shows nothing. */
export function progressLine({ stderr }: CommandIo) {
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    draw: (text: string) => {
      if (!stderr.isTTY || performance.now() - drawnMs < drawnEveryMs) return;
      drawnMs = performance.now();
      stderr.write(`\r\x1b[K${printable(text)}`);
    },
    clear: () => {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}
