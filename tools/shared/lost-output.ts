/**
 * Lets a service or a half-done command continue if its output cannot be written. A closed pipe is no failure, because
 * a reader such as `head` has read enough. Any other error, such as a full disk, is reported once, and the process
 * ends with exit code 1.
 */
export function outliveLostOutput(writing: NodeJS.Process = process): void {
  const { stdout, stderr } = writing;
  let isLost = false;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isLost) return;
    isLost = true;
    stderr.write(`error: standard output: ${message}\n`);
    // The error may arrive after the command has set its exit code, so the exit code is set at the end.
    writing.once('exit', () => {
      writing.exitCode ||= 1;
    });
  });
  // An error of standard error cannot be reported anywhere.
  stderr.on('error', () => {});
}
