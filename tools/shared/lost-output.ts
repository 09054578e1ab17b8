/**
 * Lets a process continue if its output cannot be written. Otherwise, a service would stop serving, and a
 * command would stop half-way, with a stack trace. A closed pipe is no failure, because a reader such as `head`
 * closes it when it has read enough. Any other error, such as a full disk, is reported once on standard error,
 * and the process fails in the end.
 */
export function outliveLostOutput(writing: NodeJS.Process = process): void {
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
