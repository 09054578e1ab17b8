import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { maxBacklogMs, maxListMs, minBytesPerSecond } from '../shared/list-limits.ts';

/** Sending the list has taken longer than a complete one can take. */
export class ListTooLongError extends Error {
  override readonly name = 'ListTooLongError';

  constructor() {
    super(`A list may take ${maxListMs / 1_000} seconds.`);
  }
}

/** The client has been reading too slowly for too long. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super(`A client has to take ${minBytesPerSecond} bytes a second.`);
  }
}

/**
 * Sends a body to the response stream of Lambda's runtime, within the limits of `stream-limits.ts`.
 *
 * When the body fails, the response stream is not destroyed, as `pipeline` would do: the runtime
 * treats an error of its stream as a crash and ends the process. This function rejects instead, and
 * the runtime then reports to Lambda that the response is incomplete.
 *
 * @throws the body's own error, {@link ListTooLongError} or {@link SlowReaderError}. The body is
 *   destroyed in each case, which stops its source.
 */
export async function sendBody(body: Readable, output: Writable): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const end = (reason: Error) => {
    body.destroy(reason);
    ending.abort(reason);
  };
  const timer = setTimeout(() => end(new ListTooLongError()), maxListMs);
  const reader = new Reader(output, signal, () => end(new SlowReaderError()));
  try {
    for await (const chunk of body) await reader.write(chunk);
    await reader.end();
  } catch (error) {
    const reason = signal.reason ?? error;
    if (reason instanceof SlowReaderError) closeConnection(output);
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

/** Writes to a stream and limits how long its reader may keep the function waiting. */
class Reader {
  private readonly output: Writable;
  private readonly signal: AbortSignal;
  private readonly onSlow: () => void;
  private pendingBytes = 0;
  /** How long the reader may still keep the function waiting. Every byte that it reads extends it. */
  private allowedMs = maxBacklogMs;

  constructor(output: Writable, signal: AbortSignal, onSlow: () => void) {
    this.output = output;
    this.signal = signal;
    this.onSlow = onSlow;
  }

  async write(chunk: Buffer): Promise<void> {
    this.pendingBytes += chunk.length;
    if (!this.output.write(chunk)) await this.waitFor('drain');
  }

  async end(): Promise<void> {
    const finished = this.waitFor('finish');
    this.output.end();
    await finished;
  }

  private async waitFor(event: 'drain' | 'finish'): Promise<void> {
    const sinceMs = performance.now();
    const timer = setTimeout(this.onSlow, this.allowedMs);
    await once(this.output, event, { signal: this.signal }).finally(() => clearTimeout(timer));
    const earnedMs = (1_000 * this.pendingBytes) / minBytesPerSecond;
    const leftMs = this.allowedMs - (performance.now() - sinceMs) + earnedMs;
    this.allowedMs = Math.min(leftMs, maxBacklogMs);
    this.pendingBytes = 0;
  }
}

/**
 * Closes the connection at once. Otherwise the execution environment would be occupied until a slow
 * reader has read everything that is buffered. The runtime's own listener is removed first, because
 * it would end the process.
 */
function closeConnection(output: Writable): void {
  output.removeAllListeners('error');
  output.on('error', () => {});
  output.destroy();
}
