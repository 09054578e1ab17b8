import type { Readable } from 'node:stream';

/** Passes each line of a stream to `log`, including a last line without a line break. */
export function logLines(source: Readable, log: (line: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) log(line);
  });
  source.on('end', () => {
    if (rest) log(rest);
  });
}
