/**
 * Lets a service or a half-done command continue if its output cannot be written. A closed pipe is no failure: a
 * reader such as `head` has read enough. Any other error, such as a full disk, is reported once, and the process
 * fails in the end.
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
