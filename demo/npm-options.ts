import { OperatorError } from '../shared/errors.ts';

/**
 * npm takes the options before a `--` for its own, and hands what it does not know to scripts in
 * variables: without this check, the service would start as if they had not been typed.
 *
 * @param names of the options that the service knows
 * @throws OperatorError with the command that was meant
 */
export function checkForgottenDashes(
  names: readonly string[],
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): void {
  if (environment.npm_lifecycle_event !== 'start') return;
  const isGiven = (name: string) =>
    words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const taken = names.filter((name) => environment[`npm_config_${name}`] && !isGiven(name));
  if (taken.length === 0) return;
  const values = words.filter((word) => !word.startsWith('-'));
  const meant = taken.map((name) => option(name, environment[`npm_config_${name}`]!));
  const command = ['npm start --', ...meant, ...values].join(' ');
  throw new OperatorError(
    `npm kept --${taken.join(' and --')} to itself; put -- before the options: ${command}`,
  );
}

/** npm 11 leaves an option's value among the words, and earlier versions take it. */
function option(name: string, value: string): string {
  return value === 'true' ? `--${name}` : `--${name} ${value}`;
}
