import { afterEach, beforeEach, jest } from '@jest/globals';

/** Captures the standard output, which is a function's log, in each test of a file. */
export function captureLinesOfTests() {
  const written: string[] = [];
  let restore: () => void;
  beforeEach(() => {
    written.length = 0;
    const spy = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
    restore = () => spy.mockRestore();
  });
  afterEach(() => restore());
  const text = () => written.join('');
  const lines = (): Record<string, unknown>[] =>
    text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    /** Everything that was written. */
    text,
    /** The lines, each of which has to be a JSON object. */
    lines,
  };
}
