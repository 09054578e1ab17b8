/** A process that writes to its streams. */
interface Writing extends NodeJS.EventEmitter {
  readonly stdout: NodeJS.EventEmitter;
  readonly stderr: NodeJS.EventEmitter & { write(text: string): unknown };
  exitCode?: string | number | null | undefined;
}

/**
 * Lets a process continue if its output cannot be written. Otherwise, a service would stop serving, and a
 * command would stop half-way, with a stack trace.
 *
 * A closed pipe is no failure, because a reader such as `head` closes it when it has read enough. Any
 * other error, such as a full disk, is reported once on standard error, and the process fails in the end.
 */
export function outliveLostOutput(writing: Writing = process): void {
  const { stdout, stderr } = writing;
  let isLost = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isLost) return;
    isLost = true;
    stderr.write(`error: standard output: ${message}\n`);
    // A command that has written everything may not know of the error when it sets its exit code.
    writing.once('exit', () => {
      writing.exitCode ||= 1;
    });
  });
  // An error of standard error cannot be reported anywhere.
  stderr.on('error', () => {});
}
