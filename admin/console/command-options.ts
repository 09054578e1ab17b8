import { InvalidArgumentError, Option } from 'commander';
import { planNames } from '../../lib/settings/plans.ts';

/** Formats the examples below a command's help. */
export function examples(...commands: string[]): string {
  const lines = commands.map((command) => `  npm run admin -- ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** The option `--plan`, whose value is the name of a plan. */
export function planOption(description: string): Option {
  return new Option('--plan <plan>', description).choices(planNames);
}

/** Parses a whole number from 1. @throws InvalidArgumentError, which commander reports */
export function wholeNumber(text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('Expected a whole number from 1.');
}
