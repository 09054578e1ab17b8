import { InvalidArgumentError } from 'commander';

/** Examples below a command's help. */
export function examples(...commands: string[]): string {
  const lines = commands.map((command) => `  npm run admin -- ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** A commander argument parser. */
export function wholeNumber(text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('Expected a whole number from 1.');
}
