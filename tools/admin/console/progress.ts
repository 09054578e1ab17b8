import { printable } from '../../shared/printable.ts';
import type { CommandIo } from './command-io.ts';

const drawnEveryMs = 125;

/**
 * A line on a terminal that says how far a command is. Where there is no terminal, nothing is drawn.
 *
 * @param isShown whether there is room for it on a terminal
 */
export function progressLine({ stderr }: CommandIo, isShown = true) {
  const isDrawn = isShown && stderr.isTTY === true;
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    draw: (text: string) => {
      if (!isDrawn || performance.now() - drawnMs < drawnEveryMs) return;
      drawnMs = performance.now();
      stderr.write(`\r\x1b[K${printable(text)}`);
    },
    /** Makes room for another text. */
    clear: () => {
      if (isDrawn) stderr.write('\r\x1b[K');
    },
  };
}
