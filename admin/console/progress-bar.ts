import cliProgress from 'cli-progress';
import { columnsOf, type Screen } from './command-io.ts';
import { grouped } from './text-layout.ts';

const longestBar = 30;
const shortestBar = 5;
const framesPerSecond = 8;

/** Shows how far a file has been read: on a terminal as a bar, elsewhere not at all. */
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

  /** Begins a bar of its own for one phase, at a place in the file. */
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
    // The orders of an earlier, interrupted run are no part of this one's rate.
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

  /** Takes the bar away for a line of text; the next update brings it back below. */
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
 * One line of a terminal: the bar gives way first, and then what is known of the rate, so that the
 * time that is left can be read on a narrow one too.
 *
 * @param share from 0 to 1
 */
export function progressLine(share: number, measured: Measured, columns: number): string {
  const { phase, orders, rate, left } = measured;
  const percentage = `${Math.floor(share * 100)}%`;
  const ends = [` | ${orders} orders | ${rate}/s | ${left} left`, ` | ${orders} | ${left} left`];
  // A terminal wraps a line that fills it.
  const room = (end: string) => columns - 1 - `${phase} [] ${percentage}${end}`.length;
  const end = ends.find((each) => room(each) >= shortestBar);
  if (end === undefined) return `${phase} ${percentage} | ${left} left`.slice(0, columns - 1);
  const width = Math.min(longestBar, room(end));
  const bar = '='.repeat(Math.round(share * width)).padEnd(width);
  return `${phase} [${bar}] ${percentage}${end}`;
}

/** Seconds as `2m 05s`. */
export function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-';
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}h ${twoDigits(minutes)}m`;
  return minutes > 0 ? `${minutes}m ${twoDigits(whole % 60)}s` : `${whole}s`;
}
