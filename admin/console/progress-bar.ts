import cliProgress from 'cli-progress';
import { columnsOf, type Screen } from './command-io.ts';
import { grouped } from './text-layout.ts';

const longestBar = 30;
const shortestBar = 5;
const framesPerSecond = 8;

/** Shows how much of a file has been read, if the stream is a terminal. */
export class ProgressBar {
  readonly #stream: Screen;
  readonly #now: () => number;
  #bar: cliProgress.SingleBar | undefined;
  #phase = '';
  #start = { ms: 0, bytes: 0, orders: 0 };
  #totalBytes = 0;

  constructor(stream: Screen, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  /** Starts a new bar for a phase of the import. @param bytes the position in the file */
  begin(phase: string, bytes: number, totalBytes: number): void {
    this.stop();
    if (!this.#stream.isTTY) return;
    this.#phase = phase;
    this.#totalBytes = totalBytes;
    this.#start = { ms: this.#now(), bytes, orders: -1 };
    this.#bar = new cliProgress.SingleBar({
      stream: this.#stream as NodeJS.WritableStream,
      format: (_, { progress }, payload) =>
        progressLine(progress, payload, columnsOf(this.#stream)),
      fps: framesPerSecond,
      hideCursor: true,
      gracefulExit: false,
    });
    this.#bar.start(totalBytes, bytes, { phase, orders: 0, rate: '-', left: '-' });
  }

  update(bytes: number, orders: number): void {
    if (!this.#bar) return;
    // The rate does not include orders of an earlier run that was interrupted.
    if (this.#start.orders < 0) this.#start.orders = orders;
    const seconds = Math.max((this.#now() - this.#start.ms) / 1_000, 0.001);
    const bytesPerSecond = (bytes - this.#start.bytes) / seconds;
    this.#bar.update(bytes, {
      phase: this.#phase,
      orders: grouped(orders),
      rate: grouped(Math.round((orders - this.#start.orders) / seconds)),
      left: timeLeft((this.#totalBytes - bytes) / bytesPerSecond),
    });
  }

  /** Clears the bar to print a line of text. The next update draws it again, below the text. */
  interrupt(writeText: () => void): void {
    if (this.#bar) this.#stream.write('\r\x1b[K');
    writeText();
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

interface Measured {
  readonly phase: string;
  readonly orders: string;
  readonly rate: string;
  readonly left: string;
}

/**
 * Formats the line of the progress bar. On a narrow terminal the bar is shortened first and then the
 * rate is left out, so that the remaining time stays visible.
 *
 * @param share the progress from 0 to 1
 */
export function progressLine(share: number, measured: Measured, columns: number): string {
  const { phase, orders, rate, left } = measured;
  const percentage = `${Math.floor(share * 100)}%`;
  const ends = [` | ${orders} orders | ${rate}/s | ${left} left`, ` | ${orders} | ${left} left`];
  // One column stays free, because some terminals wrap a line that fills their width.
  const room = (end: string) => columns - 1 - `${phase} [] ${percentage}${end}`.length;
  const end = ends.find((each) => room(each) >= shortestBar);
  if (end === undefined) return `${phase} ${percentage} | ${left} left`.slice(0, columns - 1);
  const width = Math.min(longestBar, room(end));
  const bar = '='.repeat(Math.round(share * width)).padEnd(width);
  return `${phase} [${bar}] ${percentage}${end}`;
}

/** Formats seconds like `2m 05s`. */
export function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-';
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}h ${twoDigits(minutes)}m`;
  return minutes > 0 ? `${minutes}m ${twoDigits(whole % 60)}s` : `${whole}s`;
}
