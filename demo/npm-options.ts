import { OperatorError } from '../shared/errors.ts';

/**
 * Checks that no option was given to npm by mistake. npm treats all options before `--` as its own and
 * passes unknown ones to scripts as environment variables, so the service would ignore them.
 *
 * @param names the names of the service's options
 * @throws OperatorError with the corrected command
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

/** npm 11 passes an option's value on as an argument; earlier versions put it into the variable. */
function option(name: string, value: string): string {
  return value === 'true' ? `--${name}` : `--${name} ${value}`;
}
