import { type Command, CommanderError } from 'commander';
import { OperatorError, reasonOf } from './errors.ts';

/** Parses the options of a program without subcommands; undefined after `--help`. @throws OperatorError */
export function parseCommandLine<Options extends object>(
  command: Command,
  words: readonly string[],
): Options | undefined {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  try {
    return command.parse(words, { from: 'user' }).opts<Options>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return undefined;
    const remedy = `${command.name()} --help lists the options`;
    // Commander's message already names the option, the value and the choices.
    const problem = reasonOf(error).replace(/^error: |\.$/g, '');
    throw new OperatorError(problem, { cause: error, remedy });
  }
}
