import type { Readable } from 'node:stream';

/** Hands a text on line by line, the last one also when it has no end. */
export function logLines(source: Readable, log: (line: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log(line);
  });
  source.on('end', () => {
    if (rest) log(rest);
  });
}
