import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { leastBytesPerSecond, longestListMs, patienceMs } from './stream-limits.ts';

/** The list has taken longer than a whole one could. */
export class ListTooLongError extends Error {
  override readonly name = 'ListTooLongError';

  constructor() {
    super(`A list may take ${longestListMs / 1_000} seconds.`);
  }
}

/** The client has taken too little for too long. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super(`A client has to take ${leastBytesPerSecond} bytes a second.`);
  }
}

/**
 * Sends a body to the stream of Lambda's runtime, within the limits of `stream-limits.ts`.
 *
 * The stream is not destroyed when the body fails, as a pipeline would do: the runtime takes the
 * error of its stream for a crash, and ends the process. It learns of the failure by this function's
 * rejecting, which has it tell Lambda that the body is not whole.
 *
 * @throws what the body fails with, {@link ListTooLongError} or {@link SlowReaderError}; the body is
 *   destroyed then, which ends the work behind it
 */
export async function sendBody(body: Readable, output: Writable): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const end = (reason: Error) => {
    body.destroy(reason);
    ending.abort(reason);
  };
  const timer = setTimeout(() => end(new ListTooLongError()), longestListMs);
  const reader = new Reader(output, signal, () => end(new SlowReaderError()));
  try {
    for await (const chunk of body) await reader.give(chunk);
    await reader.finish();
  } catch (error) {
    const reason = signal.reason ?? error;
    if (reason instanceof SlowReaderError) breakOff(output);
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

/** The far end of a stream, which may keep the function waiting, but not as long as it likes. */
class Reader {
  private readonly output: Writable;
  private readonly signal: AbortSignal;
  private readonly onSlow: () => void;
  private pendingBytes = 0;
  /** For how long it may still keep the function waiting; what it takes gives it more. */
  private patienceMs = patienceMs;

  constructor(output: Writable, signal: AbortSignal, onSlow: () => void) {
    this.output = output;
    this.signal = signal;
    this.onSlow = onSlow;
  }

  async give(chunk: Buffer): Promise<void> {
    this.pendingBytes += chunk.length;
    if (!this.output.write(chunk)) await this.until('drain');
  }

  async finish(): Promise<void> {
    const finished = this.until('finish');
    this.output.end();
    await finished;
  }

  private async until(event: 'drain' | 'finish'): Promise<void> {
    const sinceMs = performance.now();
    const timer = setTimeout(this.onSlow, this.patienceMs);
    await once(this.output, event, { signal: this.signal }).finally(() => clearTimeout(timer));
    const earnedMs = (1_000 * this.pendingBytes) / leastBytesPerSecond;
    const leftMs = this.patienceMs - (performance.now() - sinceMs) + earnedMs;
    this.patienceMs = Math.min(leftMs, patienceMs);
    this.pendingBytes = 0;
  }
}

/**
 * Breaks the connection now: what a slow reader has not taken yet would hold the environment until
 * it has. The runtime's own listener, for which the error would be a crash, has to go before.
 */
function breakOff(output: Writable): void {
  output.removeAllListeners('error');
  output.on('error', () => {});
  output.destroy();
}
