import cliProgress from 'cli-progress';
import type { CommandIo } from './command-io.ts';

/** A line on a terminal that says how far a command is. Where there is no terminal, nothing is drawn. */
export interface Progress {
  /** @param total of what `update` counts; 0 if it is not known */
  start(total: number, texts: object): void;
  update(done: number, texts: object): void;
  /** Makes room for a text, below which the next update draws the line again. */
  clear(): void;
  stop(): void;
}

/**
 * @param format of the line, with the names of its texts in braces; `{bar}` needs a total
 * @param isShown whether there is room for it on a terminal
 */
export function progressOn({ stderr }: CommandIo, format: string, isShown = true): Progress {
  if (!stderr.isTTY || !isShown) return { start() {}, update() {}, clear() {}, stop() {} };
  const bar = new cliProgress.SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format,
    barsize: 30,
    fps: 8,
    hideCursor: true,
    gracefulExit: false,
    // The library formats an unknown time as a part of the word NULL.
    formatTime: (seconds, ...rest) =>
      Number.isFinite(seconds) ? cliProgress.Format.TimeFormat(seconds, ...rest) : '-',
  });
  return {
    start: (total, texts) => bar.start(total, 0, texts),
    update: (done, texts) => bar.update(done, texts),
    clear: () => stderr.write('\r\x1b[K'),
    stop: () => bar.stop(),
  };
}
