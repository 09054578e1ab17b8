/**
 * Lets a service or a half-done command continue if its output cannot be written, for example because a reader such as
 * `head` has read enough and closed the pipe.
 */
export function outliveLostOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}
