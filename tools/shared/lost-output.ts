/** The streams of a process that it writes to. */
interface Output {
  readonly stdout: NodeJS.EventEmitter;
  readonly stderr: NodeJS.EventEmitter & { write(text: string): unknown };
}

/**
 * Lets a process go on when its output cannot be written, which would otherwise end it with a stack
 * trace: a service would stop serving, and a command would stop half-way.
 *
 * A closed pipe is no failure, because a reader such as `head` closes it when it has read enough. Any
 * other error, such as a full disk, is reported once on standard error.
 *
 * @returns tells whether output was lost otherwise than through a closed pipe
 */
export function outliveLostOutput({ stdout, stderr }: Output = process): () => boolean {
  let isLost = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isLost) return;
    isLost = true;
    stderr.write(`error: standard output: ${message}\n`);
  });
  // An error of standard error cannot be reported anywhere.
  stderr.on('error', () => {});
  return () => isLost;
}
