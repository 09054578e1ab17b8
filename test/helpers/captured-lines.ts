import { afterEach, beforeEach, jest } from '@jest/globals';

type Line = Record<string, unknown>;

export interface CapturedLines {
  /** Everything that was written, as text. */
  text(): string;
  /** The lines, each of which has to be a JSON object. */
  lines(): Line[];
  release(): void;
}

/** Captures the lines of each test of a file. */
export function captureLinesOfTests(): Omit<CapturedLines, 'release'> {
  let captured: CapturedLines;
  beforeEach(() => {
    captured = captureLines();
  });
  afterEach(() => captured.release());
  return { text: () => captured.text(), lines: () => captured.lines() };
}

/** Captures the standard output, which is a function's log. */
export function captureLines(): CapturedLines {
  const written: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
  const text = () => written.join('');
  return {
    text,
    lines: () =>
      text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    release: () => spy.mockRestore(),
  };
}
