import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';

// With `sourcemap: 'inline'`, esbuild writes this comment at the end of a bundle.
const inlineSourceMap = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)/m;

/** A stream that passes on whole lines. */
export function lineOutput(log: (line: string) => void): Writable {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      for (const line of lines) log(line);
      done();
    },
  });
}

/** Replaces positions in a bundle, such as in a stack trace, by positions in its sources, if it has a source map. */
export function sourcePositions(filename: string): (text: string) => string {
  const position = new RegExp(`${RegExp.escape(filename)}:(\\d+):(\\d+)`, 'g');
  let sourceMap: SourceMap | undefined;
  return (text) => {
    if (!text.includes(filename)) return text;
    sourceMap ??= readSourceMap(filename);
    return text.replaceAll(position, (bundled, line, column) => {
      const origin = sourceMap?.findOrigin(Number(line), Number(column));
      if (!origin || !('fileName' in origin)) return bundled;
      const source = resolve(dirname(filename), origin.fileName);
      return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
    });
  };
}

function readSourceMap(filename: string): SourceMap | undefined {
  const [, encoded] = inlineSourceMap.exec(readFileSync(filename, 'utf8')) ?? [];
  return encoded ? new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString())) : undefined;
}
